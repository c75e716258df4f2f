-- Before each script: its keys by name, and what all of them do alike. A script runs alone, so each change is atomic.
-- i: totals, m: seq -> message, h: seq -> head, o: seqs in order, a: seqs by last access, k: every id there ever was,
-- w: lock of a write, f: lock of a flush, x: the resource's index of instances.
local i, m, h, o, a, k, w, f, x = unpack(KEYS)

local function gone(now)
    local expires = redis.call('HGET', i, 'expires_us')
    return expires and tonumber(expires) <= tonumber(now)
end

local function drop(key)
    local id = redis.call('HGET', i, 'id')
    if id then redis.call('ZREM', x, id .. ' ' .. key) end
    redis.call('DEL', i, m, h, o, a, k)
end

-- The instance, made where there is none or its time is over.
local function open(key, new_id, now)
    if gone(now) then drop(key) end
    if redis.call('EXISTS', i) == 0 then
        redis.call('HSET', i, 'id', new_id, 'version', 0, 'next', 1, 'count', 0, 'tokens', 0, 'created_us', now)
        redis.call('ZADD', x, 0, new_id .. ' ' .. key)
    end
end

-- Whether somebody else is writing, or the caller's own lock is over.
local function kept_out(token)
    local holder = redis.call('GET', w)
    if token == '' then return holder and 'locked' end
    if holder ~= token then return 'overtaken' end
    return false
end

local function tally(role, tokens, share, sign)
    redis.call('HINCRBY', i, 'count', sign)
    redis.call('HINCRBY', i, 'tokens', sign * tokens)
    redis.call('HINCRBY', i, 'role:' .. role, sign)
    redis.call('HINCRBY', i, 'share:' .. share, sign * tokens)
end

local function put(seq, id, message, head, role, tokens, share, now)
    redis.call('HSET', m, seq, message)
    redis.call('HSET', h, seq, head)
    redis.call('ZADD', o, seq, seq)
    redis.call('ZADD', a, now, seq)
    redis.call('HSET', k, id, 1)
    tally(role, tokens, share, 1)
end

local function take(seq)
    local message, head = redis.call('HGET', m, seq), cjson.decode(redis.call('HGET', h, seq))
    redis.call('HDEL', m, seq)
    redis.call('HDEL', h, seq)
    redis.call('ZREM', o, seq)
    redis.call('ZREM', a, seq)
    tally(head.role, head.tokens, head.share, -1)
    return message
end

-- A write makes the instance live on; '' is for ever.
local function live_on(now, ttl_ms)
    redis.call('HINCRBY', i, 'version', 1)
    redis.call('HSET', i, 'updated_us', now)
    for _, key in ipairs({i, m, h, o, a, k}) do
        if ttl_ms == '' then redis.call('PERSIST', key) else redis.call('PEXPIRE', key, ttl_ms) end
    end
    if ttl_ms == '' then redis.call('HDEL', i, 'expires_us')
    else redis.call('HSET', i, 'expires_us', string.format('%.0f', tonumber(now) + tonumber(ttl_ms) * 1000)) end
end
