-- ARGV: token of the write lock, ttl.
local out = refused(ARGV[1])
if out then return {out} end
if expired() then drop() end
local newest = redis.call('ZRANGE', o, -1, -1)[1]
if not newest then return {'ok'} end
local message = take(newest)
redis.call('HDEL', k, cjson.decode(message).id)
live_on(ARGV[2])
return {'ok', redis.call('HGETALL', i)}
