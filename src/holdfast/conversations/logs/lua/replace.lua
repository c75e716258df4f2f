-- ARGV: as in append. Answers with all that was there before.
local token, key, new_id, now, ttl = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]
local out = kept_out(token)
if out then return {out} end
open(key, new_id, now)
local before = {}
for _, seq in ipairs(redis.call('ZRANGE', o, 0, -1)) do
    before[#before + 1] = seq
    before[#before + 1] = take(seq)
end
redis.call('DEL', k)
for n = 7, #ARGV, 6 do
    if redis.call('HSETNX', k, ARGV[n], 1) == 1 then
        local seq = redis.call('HINCRBY', i, 'next', 1) - 1
        put(seq, ARGV[n], ARGV[n + 1], ARGV[n + 2], ARGV[n + 3], tonumber(ARGV[n + 4]), ARGV[n + 5], now)
    end
end
live_on(now, ttl)
return {'ok', redis.call('HGETALL', i), before}
