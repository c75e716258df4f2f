-- ARGV: token of the write lock or '', key, id of a new instance, now, ttl, places to give up as JSON,
-- then id, message, head, role, tokens, share of each message.
local token, key, new_id, now, ttl = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]
local out = kept_out(token)
if out then return {out} end
open(key, new_id, now)
local fresh = {}
for n = 7, #ARGV, 6 do
    if redis.call('HSETNX', k, ARGV[n], 1) == 1 then
        local seq = redis.call('HINCRBY', i, 'next', 1) - 1
        put(seq, ARGV[n], ARGV[n + 1], ARGV[n + 2], ARGV[n + 3], tonumber(ARGV[n + 4]), ARGV[n + 5], now)
        fresh[#fresh + 1] = ARGV[n]
    end
end
local dropped = {}
for _, seq in ipairs(cjson.decode(ARGV[6])) do
    if redis.call('HEXISTS', m, seq) == 1 then
        dropped[#dropped + 1] = seq
        dropped[#dropped + 1] = take(seq)
    end
end
live_on(now, ttl)
return {'ok', redis.call('HGETALL', i), fresh, dropped}
