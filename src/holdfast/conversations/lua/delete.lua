-- ARGV: key, now. Answers with all that was there.
local out = kept_out('')
if out then return {out} end
if gone(ARGV[2]) then drop(ARGV[1]) end
if redis.call('EXISTS', i) == 0 then return {'ok'} end
redis.call('HINCRBY', i, 'version', 1)
local totals, before = redis.call('HGETALL', i), {}
for _, seq in ipairs(redis.call('ZRANGE', o, 0, -1)) do
    before[#before + 1] = seq
    before[#before + 1] = redis.call('HGET', m, seq)
end
drop(ARGV[1])
return {'ok', totals, before}
