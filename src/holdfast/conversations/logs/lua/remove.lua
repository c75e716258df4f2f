-- ARGV: token of the flush lock, now, flush as JSON, places as JSON, then id, message, head, role, tokens, share of a summary.
-- Changes nothing unless the lock still holds and every place is still taken.
local token, now = ARGV[1], ARGV[2]
if redis.call('GET', f) ~= token or gone(now) then return {'overtaken'} end
local seqs = cjson.decode(ARGV[4])
for _, seq in ipairs(seqs) do
    if redis.call('HEXISTS', m, seq) == 0 then return {'overtaken'} end
end
for _, seq in ipairs(seqs) do take(seq) end
if ARGV[5] then
    local first = redis.call('ZRANGE', o, 0, 0)[1] or redis.call('HGET', i, 'next')
    put(tonumber(first) - 1, ARGV[5], ARGV[6], ARGV[7], ARGV[8], tonumber(ARGV[9]), ARGV[10], now)
end
redis.call('HINCRBY', i, 'version', 1)
local flush = cjson.decode(ARGV[3])
flush.message_count = tonumber(redis.call('HGET', i, 'count'))
flush.token_count = tonumber(redis.call('HGET', i, 'tokens'))
redis.call('HSET', i, 'last_flush', cjson.encode(flush), 'updated_us', now)
redis.call('HDEL', i, 'last_error', 'pending_job')
return {'ok', redis.call('HGETALL', i)}
