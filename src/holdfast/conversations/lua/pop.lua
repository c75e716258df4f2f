-- ARGV: key, now, ttl.
local out = kept_out('')
if out then return {out} end
if gone(ARGV[2]) then drop(ARGV[1]) end
local newest = redis.call('ZRANGE', o, -1, -1)[1]
if not newest then return {'ok'} end
local message = take(newest)
redis.call('HDEL', k, cjson.decode(message).id)
live_on(ARGV[2], ARGV[3])
return {'ok', redis.call('HGETALL', i), {newest, message}}
