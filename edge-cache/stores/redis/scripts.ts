/**
 * Scripts of one bucket: its pages, the order in which they came (`index`), their
 * sizes (`sizes`; field `*` is the sum, `!` counts the pages that made room) share a
 * hash tag and so a node. Index and sizes live as long as the page that lives longest,
 * so that nothing stays of a history that ended. Each answers pages, bytes and
 * evictions of the bucket, then what its own lines say.
 */

/** Ends every script: `index`, `sizes` and `more` are its own. */
const ANSWER = `
local sums = redis.call('HMGET', sizes, '*', '!')
return {redis.call('ZCARD', index), sums[1] or '0', sums[2] or '0', more}`

/** Values: id, head, bytes of the page, lifetime in ms, limit of the bucket, prefix of page keys. 1 when there was one of that id. */
export const PUT_PAGE = `
local page, index, sizes = KEYS[1], KEYS[2], KEYS[3]
local id, lifeMs, limit = ARGV[1], tonumber(ARGV[4]), tonumber(ARGV[5])
local function drop(one)
  local size = redis.call('HGET', sizes, one)
  if size then
    redis.call('HINCRBY', sizes, '*', -tonumber(size))
    redis.call('HDEL', sizes, one)
  end
  redis.call('ZREM', index, one)
  return redis.call('DEL', ARGV[6] .. one)
end
local more = drop(id)
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
if evicted > 0 then redis.call('HINCRBY', sizes, '!', evicted) end
for _, key in ipairs({index, sizes}) do
  if redis.call('PTTL', key) < lifeMs then redis.call('PEXPIRE', key, ARGV[4]) end
end
${ANSWER}`

/** Keys: index, sizes. Values: prefix of page keys, then ids. How many of them there were. */
export const DROP_PAGES = `
local index, sizes = KEYS[1], KEYS[2]
local more = 0
for i = 2, #ARGV do
  local size = redis.call('HGET', sizes, ARGV[i])
  if size then
    more = more + 1
    redis.call('HINCRBY', sizes, '*', -tonumber(size))
    redis.call('HDEL', sizes, ARGV[i])
    redis.call('ZREM', index, ARGV[i])
  end
  redis.call('DEL', ARGV[1] .. ARGV[i])
end
${ANSWER}`

/** Keys: index, sizes. Values: prefix of page keys, first rank, number. Ids each with its head, '' for a page that expired. */
export const LOOK_AT_PAGES = `
local index, sizes = KEYS[1], KEYS[2]
local first = tonumber(ARGV[2])
local ids = redis.call('ZRANGE', index, first, first + tonumber(ARGV[3]) - 1)
local more = {}
for i = 1, #ids do
  more[2 * i - 1] = ids[i]
  more[2 * i] = redis.call('HGET', ARGV[1] .. ids[i], 'h') or ''
end
${ANSWER}`

/** Keys: index, sizes. */
export const COUNT_PAGES = `
local index, sizes, more = KEYS[1], KEYS[2], 0
${ANSWER}`
