/**
 * Scripts of one bucket: its pages, the order in which they came (`index`), their
 * sizes (`sizes`; field `*` is the sum, `!` counts the pages that made room) share a
 * hash tag and so a node. Index and sizes live as long as the page that lives longest,
 * so that nothing stays of a history that ended. Each answers pages, bytes and
 * evictions of the bucket, then what its own lines say.
 *
 * A script touches the keys that it is given and no others, since some services check
 * that: so pages that have to make room are named first, and taken away by whoever
 * stored what is too much.
 */

/** Ends every script: `index`, `sizes` and `more` are its own. */
const ANSWER = `
local sums = redis.call('HMGET', sizes, '*', '!')
return {redis.call('ZCARD', index), sums[1] or '0', sums[2] or '0', more}`

/** Takes a page away; 1 where there was one of that id. */
const DROP = `
local function drop(page, id)
  local size = redis.call('HGET', sizes, id)
  redis.call('DEL', page)
  if not size then return 0 end
  redis.call('HINCRBY', sizes, '*', -tonumber(size))
  redis.call('HDEL', sizes, id)
  redis.call('ZREM', index, id)
  return 1
end`

/** The oldest pages above `limit`, each with its place in the order; the next ones are asked for when these are gone. */
const TOO_OLD = `
local function tooOld(limit)
  local over = tonumber(redis.call('HGET', sizes, '*') or '0') - limit
  local found = {}
  if over <= 0 then return found end
  local oldest = redis.call('ZRANGE', index, 0, 63, 'WITHSCORES')
  for i = 1, #oldest, 2 do
    if over <= 0 then break end
    found[i], found[i + 1] = oldest[i], oldest[i + 1]
    over = over - tonumber(redis.call('HGET', sizes, oldest[i]) or '0')
  end
  return found
end`

/**
 * Keys: page, index, sizes. Values: id, head, bytes of the page, lifetime in ms, limit of the bucket.
 * 1 when there was one of that id, then what has to make room (see `EVICT_PAGES`).
 */
export const PUT_PAGE = `
local page, index, sizes = KEYS[1], KEYS[2], KEYS[3]
local id, lifeMs = ARGV[1], tonumber(ARGV[4])
${DROP}
${TOO_OLD}
local replaced = drop(page, id)
local size = #id + #ARGV[2] + #ARGV[3]
redis.call('HSET', page, 'h', ARGV[2], 'p', ARGV[3])
redis.call('PEXPIRE', page, ARGV[4])
redis.call('HSET', sizes, id, size)
redis.call('HINCRBY', sizes, '*', size)
local newest = redis.call('ZREVRANGE', index, 0, 0, 'WITHSCORES')
redis.call('ZADD', index, (tonumber(newest[2] or '0')) + 1, id)
for _, key in ipairs({index, sizes}) do
  if redis.call('PTTL', key) < lifeMs then redis.call('PEXPIRE', key, ARGV[4]) end
end
local more = {replaced, tooOld(tonumber(ARGV[5]))}
${ANSWER}`

/**
 * Keys: index, sizes, pages. Values: limit of the bucket, then id and place of each page, which stays
 * where it was stored anew meanwhile. What else has to make room.
 */
export const EVICT_PAGES = `
local index, sizes = KEYS[1], KEYS[2]
${DROP}
${TOO_OLD}
local evicted = 0
for i = 3, #KEYS do
  local at = 2 * i - 4
  if redis.call('ZSCORE', index, ARGV[at]) == ARGV[at + 1] then evicted = evicted + drop(KEYS[i], ARGV[at]) end
end
if evicted > 0 then redis.call('HINCRBY', sizes, '!', evicted) end
local more = tooOld(tonumber(ARGV[1]))
${ANSWER}`

/** Keys: index, sizes, pages. Values: their ids. How many of them there were. */
export const DROP_PAGES = `
local index, sizes = KEYS[1], KEYS[2]
${DROP}
local more = 0
for i = 3, #KEYS do more = more + drop(KEYS[i], ARGV[i - 2]) end
${ANSWER}`

/** Keys: index, sizes. Values: first rank, number. Ids, oldest first. */
export const LIST_PAGES = `
local index, sizes = KEYS[1], KEYS[2]
local first = tonumber(ARGV[1])
local more = redis.call('ZRANGE', index, first, first + tonumber(ARGV[2]) - 1)
${ANSWER}`

/** Keys: pages. The head of each, '' for a page that expired. */
export const READ_HEADS = `
local heads = {}
for i = 1, #KEYS do heads[i] = redis.call('HGET', KEYS[i], 'h') or '' end
return heads`

/** Keys: index, sizes. */
export const COUNT_PAGES = `
local index, sizes, more = KEYS[1], KEYS[2], 0
${ANSWER}`
