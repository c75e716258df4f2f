-- KEYS: a lock. ARGV: its holder's token. Nobody gives back what is somebody else's by now.
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0
