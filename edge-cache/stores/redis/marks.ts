import type { Purge } from '../../purge/purge-sequencer.ts'
import type { PurgeScope } from '../../types.ts'
import { replyList, replyNumber, replyText, runScript, type RedisDriver } from './driver.ts'

/** One key, so that a server that evicts keys loses marks and numbering together, which shows. */
export const MARKS_KEY = 'berth:{marks}'

/** What each instance that answers strictly has applied, by its name: in the slot of the marks. */
const FRONTS_KEY = `${MARKS_KEY}:seen`

/** What an instance says of itself with each glance. */
export interface FrontReport {
  /** Its name; no other has it. */
  front: string
  /** History and number of the youngest purge that it has applied. */
  epoch: string
  sequence: number
  /** Another one each time, which shows that it lives. */
  count: number
}

/** What the shared marks say at one moment. */
export interface SharedMarks {
  /** Names one history of numbers; another one when the server lost its data, or may have lost some. */
  epoch: string
  /** The history that this one ended; '' where none is known. Its pages are of no use any more. */
  former: string
  /** Purges numbered so far in this history. */
  sequence: number
  /** Number with which this history began, and the history its maker knew before. */
  start: number
  before: string
  /** Number of the youngest purge of everything, with which a history that continues none begins; 0: there is none. */
  floor: number
  /** Oldest first; everything older than the first, where it is of all pages, is dead. */
  purges: Purge[]
}

/** Purge marks that several instances share; each call rejects when the server does not answer. */
export interface RedisMarks {
  /**
   * Reads everything; begins a history named `fresh` where there is none, or where the
   * server is not the one that wrote the marks any more: it was started anew, or a
   * replica took its place, and either may lack the latest purges. `known` is what
   * this instance knew.
   */
  read(fresh: string, known: { epoch: string; sequence: number }): Promise<SharedMarks>
  /** Epoch and number alone: whether something was missed. The epoch is '' where `read` would begin another one. */
  glance(report?: FrontReport): Promise<{ epoch: string; sequence: number }>
  /** What was reported last by whom. */
  fronts(): Promise<FrontReport[]>
  /** Takes away those whose last report is still this one. */
  forget(reports: readonly FrontReport[]): Promise<void>
  /**
   * Numbers the purge (above `atLeast`), keeps it and tells all subscribers, in
   * one step. Null when the history is another one now: read again first.
   */
  purge(epoch: string, scopes: readonly PurgeScope[], atLeast: number): Promise<number | null>
}

/** Bound of the marks kept; past it older pages are given up with the oldest marks. */
const MAX_MARKS = 65_536

/**
 * A server names its history of writes and takes another name when it starts, and when
 * it is promoted (also when its first replica comes, which does no harm). What it then
 * has may be older than what was acknowledged, since replication and snapshots lag
 * behind, and it would number other purges with the same numbers.
 */
const SERVER = `
local key = KEYS[1]
local info = redis.pcall('INFO', 'replication')
if type(info) == 'table' then return redis.error_reply('INFO is refused: ' .. (info.err or '')) end
local server = string.match(info, 'master_replid:(%x+)') or ''
local same = redis.call('HGET', key, 'server') == server
`

const READ = `${SERVER}
local epoch = redis.call('HGET', key, 'epoch')
if not epoch then
  redis.call('DEL', key)
  redis.call('HSET', key, 'epoch', ARGV[1], 'seq', ARGV[3], 'start', ARGV[3], 'before', ARGV[2], 'server', server)
elseif not same then
  local seq = math.max(tonumber(redis.call('HGET', key, 'seq')), tonumber(ARGV[3])) + 1
  local text = string.format('%.0f', seq)
  redis.call('DEL', key)
  redis.call('HSET', key, 'epoch', ARGV[1], 'seq', text, 'start', text, 'before', '', 'floor', text,
    'former', epoch, 'server', server)
end
return redis.call('HGETALL', key)`

const GLANCE = `${SERVER}
if ARGV[1] then redis.call('HSET', KEYS[2], ARGV[1], ARGV[2]) end
return {same and redis.call('HGET', key, 'epoch') or '', redis.call('HGET', key, 'seq') or '0'}`

const FORGET = `
for i = 1, #ARGV, 2 do
  if redis.call('HGET', KEYS[1], ARGV[i]) == ARGV[i + 1] then redis.call('HDEL', KEYS[1], ARGV[i]) end
end
return 0`

const PURGE = `${SERVER}
if not same or redis.call('HGET', key, 'epoch') ~= ARGV[1] then return -1 end
local seq = math.max(tonumber(redis.call('HGET', key, 'seq')), tonumber(ARGV[2])) + 1
local text = string.format('%.0f', seq)
local floor = tonumber(redis.call('HGET', key, 'floor') or '0')
local full = redis.call('HLEN', key) > tonumber(ARGV[3])
if ARGV[4] == '1' or full then
  if ARGV[4] == '1' then floor = seq else floor = seq - 1 - math.floor(tonumber(ARGV[3]) / 2) end
  local all = redis.call('HGETALL', key)
  local kept = 0
  for i = 1, #all, 2 do
    if string.sub(all[i], 1, 2) == 'm:' then
      if tonumber(all[i + 1]) <= floor then redis.call('HDEL', key, all[i]) else kept = kept + 1 end
    end
  end
  if kept > tonumber(ARGV[3]) then
    floor = seq - 1
    for i = 1, #all, 2 do
      if string.sub(all[i], 1, 2) == 'm:' then redis.call('HDEL', key, all[i]) end
    end
  end
  if floor > 0 then redis.call('HSET', key, 'floor', string.format('%.0f', floor)) end
end
redis.call('HSET', key, 'seq', text)
for i = 7, #ARGV do redis.call('HSET', key, 'm:' .. ARGV[i], text) end
redis.call('PUBLISH', ARGV[5], ARGV[1] .. ' ' .. text .. ' ' .. ARGV[6])
return seq`

const isAll = (scope: PurgeScope): boolean => JSON.stringify(scope) === '{"kind":"all"}'

const isScope = (value: unknown): value is PurgeScope =>
  typeof value === 'object' && value !== null && 'kind' in value && typeof value.kind === 'string'

const parseScopes = (text: string): PurgeScope[] => {
  try {
    const value: unknown = JSON.parse(text)
    return (Array.isArray(value) ? value : [value]).filter(isScope)
  } catch {
    return []
  }
}

/** Reads a published purge; null when it is none of ours. */
export const parsePublished = (
  message: string,
): { epoch: string; sequence: number; scopes: PurgeScope[] } | null => {
  const [, epoch, sequence, scopes] = /^(\S+) (\d+) (.*)$/s.exec(message) ?? []
  if (epoch === undefined || sequence === undefined || scopes === undefined) return null
  return { epoch, sequence: Number(sequence), scopes: parseScopes(scopes) }
}

const recordOf = ({ epoch, sequence, count }: FrontReport): string =>
  `${epoch} ${sequence} ${count}`

/** Of one that cannot be read nothing is known: it counts as one that has applied nothing. */
const parseRecord = (front: string, record: string): FrontReport => {
  const [, epoch = '', sequence = '0', count = '0'] = /^(\S*) (\d+) (\d+)$/.exec(record) ?? []
  return { front, epoch, sequence: Number(sequence), count: Number(count) }
}

const readMarks = (reply: unknown, atMs: number): SharedMarks => {
  const flat = replyList(reply)
  const facts = new Map<string, string>()
  const bySequence = new Map<number, PurgeScope[]>()
  for (let i = 0; i + 1 < flat.length; i += 2) {
    const name = replyText(flat[i])
    if (!name.startsWith('m:')) {
      facts.set(name, replyText(flat[i + 1]))
      continue
    }
    const sequence = replyNumber(flat[i + 1])
    const scopes = bySequence.get(sequence) ?? []
    scopes.push(...parseScopes(name.slice(2)))
    bySequence.set(sequence, scopes)
  }
  const floor = replyNumber(facts.get('floor'))
  if (floor > 0) bySequence.set(floor, [{ kind: 'all' }, ...(bySequence.get(floor) ?? [])])
  return {
    epoch: facts.get('epoch') ?? '',
    former: facts.get('former') ?? '',
    floor,
    sequence: replyNumber(facts.get('seq')),
    start: replyNumber(facts.get('start')),
    before: facts.get('before') ?? '',
    purges: [...bySequence]
      .sort(([a], [b]) => a - b)
      .map(([sequence, scopes]) => ({ sequence, scopes, atMs })),
  }
}

/** Purge marks that all instances share. `channel` carries each purge to the others. */
export const createRedisMarks = (
  driver: RedisDriver,
  options: { channel: string; nowMs(): number; maxMarks?: number },
): RedisMarks => ({
  async read(fresh, known) {
    const values = [fresh, known.epoch, known.sequence]
    const reply = await runScript(driver, READ, [MARKS_KEY], values, { patient: true })
    return readMarks(reply, options.nowMs())
  },
  async glance(report) {
    const keys = [MARKS_KEY, FRONTS_KEY] as const
    const values = report === undefined ? [] : [report.front, recordOf(report)]
    const [epoch, sequence] = replyList(await runScript(driver, GLANCE, [...keys], values))
    return { epoch: replyText(epoch), sequence: replyNumber(sequence) }
  },
  async fronts() {
    const flat = replyList(await driver.send(FRONTS_KEY, ['HGETALL', FRONTS_KEY]))
    const reports: FrontReport[] = []
    for (let i = 0; i + 1 < flat.length; i += 2)
      reports.push(parseRecord(replyText(flat[i]), replyText(flat[i + 1])))
    return reports
  },
  async forget(reports) {
    const values = reports.flatMap((report) => [report.front, recordOf(report)])
    await runScript(driver, FORGET, [FRONTS_KEY], values)
  },
  async purge(epoch, scopes, atLeast) {
    const everything = scopes.some(isAll)
    const kept = scopes.filter((scope) => !isAll(scope)).map((scope) => JSON.stringify(scope))
    const values = [
      epoch,
      Math.floor(atLeast),
      options.maxMarks ?? MAX_MARKS,
      everything ? '1' : '0',
      options.channel,
      JSON.stringify(scopes),
      ...kept,
    ]
    const sequence = replyNumber(await runScript(driver, PURGE, [MARKS_KEY], values))
    return sequence < 0 ? null : sequence
  },
})
