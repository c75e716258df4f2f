-- ARGV: token of the write lock or '', id of a new instance, ttl, places that a buffer drops as JSON, then the messages.
local out = refused(ARGV[1])
if out then return {out} end
open(ARGV[2])
local fresh = put_new(5)
for _, seq in ipairs(cjson.decode(ARGV[4])) do
    if redis.call('HEXISTS', m, seq) == 1 then take(seq) end
end
live_on(ARGV[3])
return {'ok', redis.call('HGETALL', i), fresh}
