-- ARGV: which lock ('w' or 'f'), its holder's token, now. Numbers a change that is about to be told of.
-- Answers with the totals, and with nothing where there is no instance.
if redis.call('GET', ARGV[1] == 'w' and w or f) ~= ARGV[2] then return {'overtaken'} end
if gone(ARGV[3]) or redis.call('EXISTS', i) == 0 then return {'ok'} end
redis.call('HINCRBY', i, 'version', 1)
return {'ok', redis.call('HGETALL', i)}
