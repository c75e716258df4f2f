-- ARGV: which lock ('w' or 'f'), its holder's token. Numbers a change whose revision is written before it is made.
-- Answers with the totals, and without them where there is no instance.
if redis.call('GET', ARGV[1] == 'w' and w or f) ~= ARGV[2] then return {'overtaken'} end
if absent() then return {'ok'} end
redis.call('HINCRBY', i, 'version', 1)
return {'ok', redis.call('HGETALL', i)}
