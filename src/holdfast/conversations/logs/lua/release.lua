-- KEYS: a lock. ARGV: its holder's token. A lock that another holds by now stays.
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0
