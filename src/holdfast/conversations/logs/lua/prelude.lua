-- Before each script: its keys by name, the arguments that all scripts take first, and what they share. Redis runs a script
-- alone, so each change is atomic.
-- i: totals, m: seq -> message, h: seq -> head, o: seqs in order, r: 'first:last' -> when that range was read,
-- k: every id there ever was, w: lock of a write, f: lock of a flush,
-- x: index of the resource's instances, y: index of those of this owner.
local i, m, h, o, r, k, w, f, x, y = unpack(KEYS)
-- within: the workspace the instance must be in, or ''; label: 'owner key'; workspace: where a new one is made; now: in us.
local within, label = table.remove(ARGV, 1), table.remove(ARGV, 1)
local workspace, now = table.remove(ARGV, 1), table.remove(ARGV, 1)

local function expired()
    local expires = redis.call('HGET', i, 'expires_us')
    return expires and tonumber(expires) <= tonumber(now)
end

-- In another workspace: absent for reads, and its key is taken for writes.
local function elsewhere()
    local made_in = redis.call('HGET', i, 'workspace')
    return within ~= '' and made_in and made_in ~= within
end

local function absent()
    return redis.call('EXISTS', i) == 0 or expired() or elsewhere()
end

local function drop()
    local id = redis.call('HGET', i, 'id')
    if id then
        redis.call('ZREM', x, id .. ' ' .. label)
        redis.call('ZREM', y, id .. ' ' .. label)
    end
    redis.call('DEL', i, m, h, o, r, k)
end

-- The instance, made where there is none or it expired.
local function open(new_id)
    if expired() then drop() end
    if redis.call('EXISTS', i) == 0 then
        redis.call('HSET', i, 'id', new_id, 'version', 0, 'next', 1, 'count', 0, 'tokens', 0, 'created_us', now,
                   'workspace', workspace)
        redis.call('ZADD', x, 0, new_id .. ' ' .. label)
        redis.call('ZADD', y, 0, new_id .. ' ' .. label)
    end
end

-- Why this write may not be made, or false: another holds the lock, the caller's own lock ended, or the key is taken.
local function refused(token)
    local holder = redis.call('GET', w)
    if token == '' and holder then return 'locked' end
    if token ~= '' and holder ~= token then return 'overtaken' end
    return elsewhere() and not expired() and 'elsewhere'
end

local function tally(role, tokens, share, sign)
    redis.call('HINCRBY', i, 'count', sign)
    redis.call('HINCRBY', i, 'tokens', sign * tokens)
    redis.call('HINCRBY', i, 'role:' .. role, sign)
    redis.call('HINCRBY', i, 'share:' .. share, sign * tokens)
end

local function put(seq, id, message, head, role, tokens, share)
    redis.call('HSET', m, seq, message)
    redis.call('HSET', h, seq, head)
    redis.call('ZADD', o, seq, seq)
    redis.call('HSET', k, id, 1)
    tally(role, tokens, share, 1)
end

-- The messages among the arguments from `first` on (id, message, head, role, tokens, share of each) whose ids are new.
local function put_new(first)
    local fresh = {}
    for n = first, #ARGV, 6 do
        if redis.call('HSETNX', k, ARGV[n], 1) == 1 then
            local seq = redis.call('HINCRBY', i, 'next', 1) - 1
            put(seq, ARGV[n], ARGV[n + 1], ARGV[n + 2], ARGV[n + 3], tonumber(ARGV[n + 4]), ARGV[n + 5])
            fresh[#fresh + 1] = ARGV[n]
        end
    end
    return fresh
end

local function take(seq)
    local message, head = redis.call('HGET', m, seq), cjson.decode(redis.call('HGET', h, seq))
    redis.call('HDEL', m, seq)
    redis.call('HDEL', h, seq)
    redis.call('ZREM', o, seq)
    tally(head.role, head.tokens, head.share, -1)
    return message
end

-- Reads of places before the first message are of no use any more.
local function forget_reads()
    local first = tonumber(redis.call('ZRANGE', o, 0, 0)[1] or math.huge)
    for _, range in ipairs(redis.call('HKEYS', r)) do
        if tonumber(string.match(range, ':(-?%d+)$')) < first then redis.call('HDEL', r, range) end
    end
end

-- A write refreshes the time to live; '' is for ever.
local function live_on(ttl_ms)
    redis.call('HINCRBY', i, 'version', 1)
    redis.call('HSET', i, 'updated_us', now)
    for _, key in ipairs({i, m, h, o, r, k}) do
        if ttl_ms == '' then redis.call('PERSIST', key) else redis.call('PEXPIRE', key, ttl_ms) end
    end
    if ttl_ms == '' then redis.call('HDEL', i, 'expires_us')
    else redis.call('HSET', i, 'expires_us', string.format('%.0f', tonumber(now) + tonumber(ttl_ms) * 1000)) end
end
