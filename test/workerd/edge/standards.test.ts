import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { takeSteps, type Stepped } from '#test/contract/cache/http-mode/harness.ts'
import { CONDITIONS, TARGETED } from '#test/contract/cache/rfc9111/conditions.ts'
import { CONSTRUCTING } from '#test/contract/cache/rfc9111/constructing.ts'
import { DIRECTIVES } from '#test/contract/cache/rfc9111/directives.ts'
import { FRESHNESS } from '#test/contract/cache/rfc9111/freshness.ts'
import type { Sentence } from '#test/contract/cache/rfc9111/sentence.ts'
import { STORING } from '#test/contract/cache/rfc9111/storing.ts'
import { TIMES } from '#test/contract/cache/rfc9111/times.ts'
import { VALIDATION } from '#test/contract/cache/rfc9111/validation.ts'
import { sampled } from '#test/support/sampled.ts'
import { type EdgeInstance, startEdge } from './edge-instance.ts'

/** A client and an origin of the tests' own say something by themselves: one field once, and a `Date`. */
const NOT_OVER_HTTP = [
  'all fields are stored, unknown ones too, and those that stand twice',
  'without Date the time it was received',
  'a Date is added that is missing',
]

/** What the standards ask of a shared cache, asked over HTTP of the Worker as it is deployed. */
const SENTENCES: readonly Sentence[] = [
  ...[...STORING, ...CONSTRUCTING, ...FRESHNESS, ...VALIDATION],
  ...[...DIRECTIVES, ...TIMES, ...CONDITIONS, ...TARGETED],
].filter(
  ([, says, steps]) =>
    !NOT_OVER_HTTP.includes(says) && steps.every(({ rule }) => rule === undefined),
)

/** Of which clients say something by themselves. */
const SAID_BY_CLIENTS = [
  'accept-language',
  'sec-fetch-mode',
  'user-agent',
  'accept-encoding',
  'cache-control',
  'pragma',
]

const LATER_MS = 1_000_000_000
let purges = 0

let edge: EdgeInstance
beforeAll(async () => {
  edge = await startEdge({
    entry: fileURLToPath(new URL('../worker/edge-clock.ts', import.meta.url)),
    variables: {
      SITE_A: { domain: 'a.test', origin: 'http://a-origin.test', cache: { mode: 'http' } },
      SITE_B: { domain: 'b.test', origin: 'http://b-origin.test', cache: { mode: 'http' } },
    },
  })
})
afterAll(() => edge?.close())

const overHttp = (): Stepped => {
  const all: Stepped = {
    nowMs: 1_700_000_000_000,
    origin: () => new Response(null),
    seen: [],
    async ask(url, { method = 'GET', headers = {} } = {}) {
      edge.origin = (request) => {
        all.seen.push(request)
        return all.origin(request)
      }
      const sent = Object.entries(headers).map(([name, value]) => [
        SAID_BY_CLIENTS.includes(name.toLowerCase()) ? `x-test-${name}` : name,
        value,
      ])
      return edge.ask(url, {
        method,
        headers: { ...Object.fromEntries(sent), 'x-test-now': String(all.nowMs) },
      })
    },
    idle: () => Promise.resolve(),
  }
  return all
}

test.each(
  sampled('the standards over HTTP', SENTENCES, { keep: 60 }).map(
    ([section, says, steps]) => [`${section}: ${says}`, steps] as const,
  ),
)('%s', async (_, steps) => {
  const all = overHttp()
  // Long after whatever was asked before, so that no isolate has to be waited for.
  const headers = { 'x-test-now': String(all.nowMs + LATER_MS * ++purges) }
  const purged = await edge.manage('/api/v1/cache/purge', { method: 'POST', headers })
  expect(purged.status).toBe(200)
  await takeSteps(steps, all)
})
