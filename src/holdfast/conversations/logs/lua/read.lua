-- ARGV: first rank, last rank, '1' to note the access.
if absent() then return {'ok'} end
local found = {}
local seqs = redis.call('ZRANGE', o, ARGV[1], ARGV[2])
for _, seq in ipairs(seqs) do
    found[#found + 1] = seq
    found[#found + 1] = redis.call('HGET', m, seq)
end
if ARGV[3] == '1' and #seqs > 0 then
    redis.call('HSET', r, seqs[1] .. ':' .. seqs[#seqs], now)
    local ttl = redis.call('PTTL', i)
    if ttl > 0 then redis.call('PEXPIRE', r, ttl) end
end
return {'ok', redis.call('HGETALL', i), found}
