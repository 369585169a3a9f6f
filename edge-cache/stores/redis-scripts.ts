/**
 * Scripts of one bucket: its pages, the order in which they came (`index`), their
 * sizes (`sizes`; field `*` is the sum) share a hash tag and so a node. Each
 * answers or ends with pages and bytes of the bucket.
 */

/** Values: id, head, bytes of the page, lifetime in ms, limit of the bucket, prefix of page keys. */
export const PUT_PAGE = `
local page, index, sizes = KEYS[1], KEYS[2], KEYS[3]
local id, limit = ARGV[1], tonumber(ARGV[5])
local function drop(one)
  local size = redis.call('HGET', sizes, one)
  if size then
    redis.call('HINCRBY', sizes, '*', -tonumber(size))
    redis.call('HDEL', sizes, one)
  end
  redis.call('ZREM', index, one)
  redis.call('DEL', ARGV[6] .. one)
end
drop(id)
local size = #id + #ARGV[2] + #ARGV[3]
redis.call('HSET', page, 'h', ARGV[2], 'p', ARGV[3])
redis.call('PEXPIRE', page, ARGV[4])
redis.call('HSET', sizes, id, size)
redis.call('HINCRBY', sizes, '*', size)
local newest = redis.call('ZREVRANGE', index, 0, 0, 'WITHSCORES')
redis.call('ZADD', index, (tonumber(newest[2] or '0')) + 1, id)
local evicted = 0
while tonumber(redis.call('HGET', sizes, '*') or '0') > limit do
  local oldest = redis.call('ZRANGE', index, 0, 0)[1]
  if not oldest then break end
  drop(oldest)
  evicted = evicted + 1
end
return {redis.call('ZCARD', index), redis.call('HGET', sizes, '*') or '0', evicted}`

/** Keys: index, sizes. Values: prefix of page keys, then ids. Answers also how many there were. */
export const DROP_PAGES = `
local index, sizes = KEYS[1], KEYS[2]
local gone = 0
for i = 2, #ARGV do
  local size = redis.call('HGET', sizes, ARGV[i])
  if size then
    gone = gone + 1
    redis.call('HINCRBY', sizes, '*', -tonumber(size))
    redis.call('HDEL', sizes, ARGV[i])
    redis.call('ZREM', index, ARGV[i])
  end
  redis.call('DEL', ARGV[1] .. ARGV[i])
end
return {redis.call('ZCARD', index), redis.call('HGET', sizes, '*') or '0', gone}`

/** Keys: index, sizes. Values: prefix of page keys, first rank, number. Answers ids each with its head, '' for a page that expired. */
export const LOOK_AT_PAGES = `
local first = tonumber(ARGV[2])
local ids = redis.call('ZRANGE', KEYS[1], first, first + tonumber(ARGV[3]) - 1)
local found = {}
for i = 1, #ids do
  found[2 * i - 1] = ids[i]
  found[2 * i] = redis.call('HGET', ARGV[1] .. ids[i], 'h') or ''
end
return {redis.call('ZCARD', KEYS[1]), redis.call('HGET', KEYS[2], '*') or '0', found}`
