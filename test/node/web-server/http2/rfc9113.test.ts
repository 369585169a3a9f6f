import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { CacheEntry } from '#edge-cache/index.ts'
import { cacheEntry } from '#test/contract/cache/page-mode/cache-entries.ts'
import { connectH2Socket } from '../support/h2-client.ts'
import { startH2Engine, type H2Engine } from '../support/h2-engine.ts'
import { frame, FrameClient, HEADERS, PING } from '../support/h2-frames.ts'
import { get, type Outcome, type Rfc9113Case } from '../support/rfc9113/case.ts'
import { FRAMING, STREAMS } from '../support/rfc9113/framing.ts'
import { CONTROL, FRAMES } from '../support/rfc9113/frames.ts'
import { MESSAGES } from '../support/rfc9113/messages.ts'

/** Longer takes only what never comes. */
const LIMIT_MS = 10_000
/** Higher than the streams of all cases but one. */
const PROBE = 9001
/** `:status: 200` of the static table. */
const OK = 0x88

const pageOf = (path: string): CacheEntry | null =>
  path !== '/page/1'
    ? null
    : cacheEntry('a.test', path, {
        key: { host: 'a.test', path, id: path },
        headers: [['content-type', 'text/html']],
        body: Buffer.from('x'),
        tags: [],
        storedAtMs: Date.now(),
        expiresAtMs: Date.now() + 600_000,
      })

let server: H2Engine
beforeAll(async () => {
  server = await startH2Engine(
    async (request, { rawTarget }) => {
      if (rawTarget === '/wait') {
        const { signal } = request
        await new Promise((resolve) => {
          if (signal.aborted) resolve(null)
          signal.addEventListener('abort', resolve)
        })
      }
      if (rawTarget === '/late') await new Promise((resolve) => setTimeout(resolve, 50))
      if (rawTarget === '/echo') return new Response(await request.text())
      if (rawTarget === '/cookie') return new Response(request.headers.get('cookie'))
      if (rawTarget === '*') return new Response('*')
      return new Response('x'.repeat(Number(/\d+$/.exec(rawTarget)?.[0] ?? 1)))
    },
    {
      pages: pageOf,
      times: { keepAliveMs: 60_000, headMs: 60_000, stallMs: 60_000 },
      requestMs: 60_000,
    },
  )
})
afterAll(() => server.close())

/** Rejects when it takes too long, with what has come by then. */
const inTime = async <T>(client: FrameClient, work: Promise<T>): Promise<T> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const came = client.frames.map(({ type, flags, stream, payload }) => [
        type,
        flags,
        stream,
        payload.length,
      ])
      reject(new Error(`it never came; frames: ${JSON.stringify(came)}`))
    }, LIMIT_MS)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}

const servesOn = async (client: FrameClient, outcome: Outcome): Promise<void> => {
  const mark = Buffer.from('on we go')
  client.send(frame(PING, 0, 0, mark))
  const answered = await client.until(({ type, payload }) => type === PING && payload.equals(mark))
  expect([client.goaway, answered === undefined]).toEqual([null, false])
  if (outcome.kind === 'served' && outcome.stream > PROBE) return
  client.send(get(PROBE))
  expect(await client.end(PROBE)).toBe('ended')
}

const check = async (client: FrameClient, outcome: Outcome): Promise<void> => {
  if (outcome.kind === 'connection') {
    await client.closed
    expect(outcome.codes).toContain(client.goaway)
    return
  }
  if (outcome.kind !== 'ignored') {
    const { stream } = outcome
    const end = await client.end(stream)
    const head = client.frames.find((one) => one.stream === stream && one.type === HEADERS)
    if (outcome.kind === 'stream') expect(outcome.codes).toContain(end)
    else if (outcome.kind === 'served') {
      expect([end, head?.payload[0], client.body(stream)]).toEqual(['ended', OK, outcome.body])
    } else if (end !== 1)
      expect([end, client.body(stream)]).toEqual(['ended', expect.stringMatching(/^[45]\d\d /)])
  }
  await servesOn(client, outcome)
}

const SECTIONS: readonly [string, readonly Rfc9113Case[]][] = [
  ['preface, frames and header blocks', FRAMING],
  ['streams', STREAMS],
  ['DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS, PUSH_PROMISE', FRAMES],
  ['PING, GOAWAY, WINDOW_UPDATE, CONTINUATION', CONTROL],
  ['requests', MESSAGES],
]

describe.each(SECTIONS)('RFC 9113: %s', (_section, cases) => {
  it.each(cases)('$rule', async ({ steps, outcome, opening }) => {
    const client = new FrameClient(await connectH2Socket(server.port, 'a.test'), opening)
    try {
      for (const step of steps) {
        if (typeof step === 'function') await inTime(client, step(client))
        else client.send(step)
      }
      await inTime(client, check(client, outcome))
    } finally {
      client.close()
    }
  })
})

describe('the list of cases', () => {
  it('names each once, and nothing broke that nobody foresaw', () => {
    const rules = SECTIONS.flatMap(([, cases]) => cases.map(({ rule }) => rule))
    expect(new Set(rules).size).toBe(rules.length)
    expect(rules.length).toBeGreaterThan(200)
    expect(server.errors.filter((error) => error.includes('a connection broke'))).toEqual([])
  })
})
