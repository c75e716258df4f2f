-- ARGV: token of the write lock, key, now, ttl.
local out = kept_out(ARGV[1])
if out then return {out} end
if gone(ARGV[3]) then drop(ARGV[2]) end
local newest = redis.call('ZRANGE', o, -1, -1)[1]
if not newest then return {'ok'} end
local message = take(newest)
redis.call('HDEL', k, cjson.decode(message).id)
live_on(ARGV[3], ARGV[4])
return {'ok', redis.call('HGETALL', i), {newest, message}}
