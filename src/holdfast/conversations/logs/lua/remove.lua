-- ARGV: token of the flush lock, flush as JSON, places as JSON, then id, message, head, role, tokens, share of a summary.
-- Changes nothing unless the lock still holds and every place is still taken.
if redis.call('GET', f) ~= ARGV[1] or absent() then return {'overtaken'} end
local seqs = cjson.decode(ARGV[3])
for _, seq in ipairs(seqs) do
    if redis.call('HEXISTS', m, seq) == 0 then return {'overtaken'} end
end
for _, seq in ipairs(seqs) do take(seq) end
if ARGV[4] then
    local first = redis.call('ZRANGE', o, 0, 0)[1] or redis.call('HGET', i, 'next')
    put(tonumber(first) - 1, ARGV[4], ARGV[5], ARGV[6], ARGV[7], tonumber(ARGV[8]), ARGV[9])
end
forget_reads()
redis.call('HINCRBY', i, 'version', 1)
local flush = cjson.decode(ARGV[2])
flush.message_count = tonumber(redis.call('HGET', i, 'count'))
flush.token_count = tonumber(redis.call('HGET', i, 'tokens'))
redis.call('HSET', i, 'last_flush', cjson.encode(flush), 'updated_us', now)
redis.call('HDEL', i, 'last_error', 'pending_job')
return {'ok', redis.call('HGETALL', i)}
