-- ARGV: now, first rank, last rank, '1' to note the access.
if gone(ARGV[1]) or redis.call('EXISTS', i) == 0 then return {'ok'} end
local found = {}
for _, seq in ipairs(redis.call('ZRANGE', o, ARGV[2], ARGV[3])) do
    found[#found + 1] = seq
    found[#found + 1] = redis.call('HGET', m, seq)
    if ARGV[4] == '1' then redis.call('ZADD', a, ARGV[1], seq) end
end
return {'ok', redis.call('HGETALL', i), found}
