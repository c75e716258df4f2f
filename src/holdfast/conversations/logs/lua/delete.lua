-- ARGV: token of the write lock, key.
local out = kept_out(ARGV[1])
if out then return {out} end
drop(ARGV[2])
return {'ok'}
