import { type CacheRule, deserializeEntry, serializeEntry } from '#edge-cache/index.ts'
import type { ContractCase } from '../page-mode/cache-case.ts'
import { same } from '../page-mode/cache-case.ts'
import { createHarness, type Harness, type LowerLayer } from '../page-mode/cache-harness.ts'

export type Fields = Record<string, string>
export const PAGE = 'http://a.test/page'

/** HTTP date so many seconds from the start of a case's clock. */
export const dateIn = (secs: number): string =>
  new Date(1_700_000_000_000 + secs * 1000).toUTCString()

/** Where an answer came from: the origin, the cache alone, or the cache after the origin said 304. */
export type From = 'origin' | 'cache' | 'validated' | 'neither'

/** One request of a case, and what the origin would answer to it. */
export interface Step {
  /** Seconds that pass before it. */
  after?: number
  url?: string
  method?: string
  headers?: Fields
  rule?: Partial<CacheRule>
  /** A null-body status has no body; `error`: the origin cannot be reached. */
  origin?: { status?: number; headers?: Fields; body?: string; error?: boolean }
  from?: From
  status?: number
  body?: string
  /** Fields of the answer; null: absent. */
  answered?: Record<string, string | null>
  /** Fields of the request that the origin saw. */
  asked?: Record<string, string | null>
}

const NO_BODY = [204, 205, 304]

const originResponse = (step: Step, index: number): Response => {
  const { status = 200, headers = {}, body = `#${index}`, error } = step.origin ?? {}
  if (error) throw new Error('no connection')
  return new Response(NO_BODY.includes(status) ? null : body, { status, headers })
}

const fieldsOf = (headers: Headers, wanted: Record<string, string | null>) =>
  Object.fromEntries(Object.keys(wanted).map((name) => [name, headers.get(name)]))

const sourceOf = (response: Response, asked: number): From => {
  const hit = response.headers.get('x-cache') === 'HIT'
  if (hit) return asked === 0 ? 'cache' : 'validated'
  return asked === 0 ? 'neither' : 'origin'
}

/** What steps need of a harness, so that one may stand for several workers. */
export type Stepped = Pick<Harness, 'nowMs' | 'origin' | 'seen' | 'ask' | 'idle'>

/** Takes the steps one after the other; each body is read to its end before the next. */
export const takeSteps = async (
  steps: readonly Step[],
  harness: Stepped = createHarness(),
): Promise<void> => {
  for (const [index, step] of steps.entries()) {
    const what = `step ${index}`
    harness.nowMs += (step.after ?? 0) * 1000
    harness.origin = () => originResponse(step, index)
    const before = harness.seen.length
    const response = await harness.ask(step.url ?? PAGE, {
      method: step.method ?? 'GET',
      headers: step.headers ?? {},
      rule: { ...step.rule, mode: 'http' },
    })
    const body = await response.text()
    await harness.idle()
    const asked = harness.seen.slice(before)
    if (step.from !== undefined) same(sourceOf(response, asked.length), step.from, `${what} from`)
    if (step.status !== undefined) same(response.status, step.status, `${what} status`)
    if (step.body !== undefined) same(body, step.body, `${what} body`)
    if (step.answered) same(fieldsOf(response.headers, step.answered), step.answered, what)
    if (step.asked) {
      same(fieldsOf(asked[0]?.headers ?? new Headers(), step.asked), step.asked, `${what} asked`)
    }
  }
}

export const stepsCase = (name: string, steps: readonly Step[]): ContractCase => ({
  name: `http: ${name}`,
  run: () => takeSteps(steps),
})

/** What a table is about: whether a second, plain request is answered by the first one's answer. */
export type ReuseRow = readonly [
  name: string,
  first: { status?: number; answer: Fields; request?: Fields; rule?: Partial<CacheRule> },
  afterSecs: number,
  from: 'cache' | 'origin',
]

export const reuseCase = ([name, first, after, from]: ReuseRow): ContractCase => {
  const { status = 200, answer, request = {}, rule = {} } = first
  const origin = { status, headers: answer }
  const same = { headers: request, rule }
  const body = NO_BODY.includes(status) ? '' : from === 'cache' ? '#0' : '#1'
  return stepsCase(name, [
    { ...same, origin, from: 'origin', status },
    { ...same, after, origin, from, status, body },
  ])
}

/** A lower layer that keeps entries as bytes, as every one does that outlives a process. */
export const serializedLayer = (): LowerLayer => {
  const kept = new Map<string, Uint8Array>()
  const source: LowerLayer['source'] = {
    name: 'bytes',
    open: () => ({
      get(key) {
        const bytes = kept.get(key.id)
        return bytes ? deserializeEntry(bytes) : null
      },
      put: (entry) => void kept.set(entry.key.id, serializeEntry(entry)),
      delete: (key) => void kept.delete(key.id),
      sweep: () => 0,
      stats: () => ({ entries: kept.size, bytes: 0, limitBytes: 0, evictions: 0 }),
    }),
  }
  return { source, dispose: () => Promise.resolve() }
}
