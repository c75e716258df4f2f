-- ARGV: token of the write lock.
local out = refused(ARGV[1])
if out then return {out} end
drop()
return {'ok'}
