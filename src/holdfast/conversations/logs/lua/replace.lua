-- ARGV: token of the write lock, id of a new instance, ttl, '1' to forget the ids of flushed messages too, then the messages.
local out = refused(ARGV[1])
if out then return {out} end
open(ARGV[2])
for _, seq in ipairs(redis.call('ZRANGE', o, 0, -1)) do
    redis.call('HDEL', k, cjson.decode(take(seq)).id)
end
if ARGV[4] == '1' then redis.call('DEL', k) end
for n = 5, #ARGV, 6 do redis.call('HDEL', k, ARGV[n]) end
put_new(5)
forget_reads()
live_on(ARGV[3])
return {'ok', redis.call('HGETALL', i)}
