if absent() then return {'ok'} end
local found = {}
for _, seq in ipairs(redis.call('ZRANGE', o, 0, -1)) do
    found[#found + 1] = seq
    found[#found + 1] = redis.call('HGET', h, seq)
end
return {'ok', redis.call('HGETALL', r), found}
