import { describe, expect, it, vi } from 'vitest'
import { createHostClient, WrongAnswer } from '#adapters/shared/host-rpc/host-client.ts'
import { HOST_METHODS } from '#adapters/shared/host-rpc/methods.ts'
import type { HostMethod } from '#adapters/shared/host-rpc/methods.ts'
import { GOOD_ANSWERS } from './good-answers.ts'
import { GOOD_ARGUMENTS } from './good-arguments.ts'
import { METHODS, rpcOver } from './rpc-over.ts'

type Path = readonly (string | number)[]

const SECRET = 'SECRET-OF-THE-HOST'
/** Longer than any bound but those of whole contents. */
const TOO_LONG = 'x'.repeat(64 * 2 ** 20 + 1)

/** Every place in an answer, the answer itself first. */
const placesIn = (value: unknown, at: Path = []): Path[] =>
  typeof value === 'object' && value !== null
    ? [
        at,
        ...Object.entries(value).flatMap(([key, held]) =>
          placesIn(held, [...at, Array.isArray(value) ? Number(key) : key]),
        ),
      ]
    : [at]

const heldAt = (value: unknown, at: Path): unknown =>
  at.reduce<unknown>((held, key) => (held as Record<string | number, unknown>)[key], value)

/** A copy of the answer in which `change` was done to what is at the place. */
const changed = (answer: unknown, at: Path, change: (held: unknown) => unknown): unknown => {
  const [key, ...rest] = at
  if (key === undefined) return change(answer)
  const copy = (Array.isArray(answer) ? [...answer] : { ...(answer as object) }) as Record<
    string | number,
    unknown
  >
  copy[key] = changed(copy[key], rest, change)
  return copy
}

const without = (answer: unknown, at: Path): unknown =>
  changed(answer, at.slice(0, -1), (held) => {
    const { [String(at.at(-1))]: _gone, ...rest } = held as Record<string, unknown>
    return rest
  })

/** What is of another type than any good value there. */
const ofAnotherType = (held: unknown): unknown =>
  typeof held === 'string' || held === null ? [[17]] : SECRET

const hostSays = (answer: unknown): ReturnType<typeof rpcOver>['call'] =>
  rpcOver(async () => answer).call

const refusalOf = async (
  [path, port, method]: (typeof METHODS)[number],
  answer: unknown,
): Promise<unknown> =>
  hostSays(answer)(port, method, GOOD_ARGUMENTS[path]).then(
    (taken) => ({ taken }),
    (error: unknown) => error,
  )

const ANSWERING = METHODS.filter(([path]) => GOOD_ANSWERS[path] !== undefined)
const tableOf = (port: string, method: string): HostMethod | undefined =>
  HOST_METHODS[port as keyof typeof HOST_METHODS][method]

/** Maps, of which any name may be missing, records of archives of long ago, and specs, which lack what is off. */
const MAY_LACK = new Set(['ä', 'record', 'spec'])
/** Keys that other answers may lack. */
const OPTIONAL: readonly string[] = [
  ...['restored', 'field'],
  // Of a site of a front, what follows the server.
  ...['defaultHost', 'bypassCookies', 'ignoreQueryParams', 'mobileVariant', 'fills'],
  ...['harmlessCookies', 'sessionCookies', 'application'],
]

describe('answers of the host', () => {
  it.each(METHODS)('of %s have a shape, a kind and a time', (path, port, method) => {
    const known = tableOf(port, method)
    expect(known?.output.safeParse(GOOD_ANSWERS[path])).toMatchObject({ success: true })
    expect(['read', 'change']).toContain(known?.kind)
    expect(known?.limitSecs).toBeGreaterThan(0)
    expect(known?.limitSecs).toBeLessThanOrEqual(900)
    expect(Object.keys(GOOD_ANSWERS)).toContain(path)
  })

  it.each(ANSWERING)('of %s are refused where anything is of a wrong type', async (...one) => {
    const answer = GOOD_ANSWERS[one[0]]
    for (const at of placesIn(answer)) {
      const refusal = await refusalOf(one, changed(answer, at, ofAnotherType))
      expect(refusal, at.join('.')).toBeInstanceOf(WrongAnswer)
      expect(refusal).toMatchObject({ status: 503, method: one[0] })
      expect(String(refusal)).toContain(one[0])
      expect(String(refusal)).not.toContain(SECRET)
    }
  })

  it.each(ANSWERING)('of %s lose what is not theirs, and may lack nothing', async (...one) => {
    const answer = GOOD_ANSWERS[one[0]]
    const [path, port, method] = one
    for (const at of placesIn(answer)) {
      const held = heldAt(answer, at)
      if (typeof held === 'object' && held !== null && !Array.isArray(held)) {
        const more = changed(answer, at, (object) => ({ ...(object as object), [SECRET]: SECRET }))
        const taken = await hostSays(more)(port, method, GOOD_ARGUMENTS[path]).catch(
          (error: unknown) => error,
        )
        // A map takes any name, but not any value.
        if ('ä' in held && !(taken instanceof WrongAnswer)) continue
        if (taken instanceof WrongAnswer) expect(String(taken)).not.toContain(SECRET)
        else expect(taken, at.join('.')).toEqual(answer)
      }
      if (typeof at.at(-1) !== 'string' || at.some((key) => MAY_LACK.has(String(key)))) continue
      const refusal = await refusalOf(one, without(answer, at))
      const isOptional = tableOf(port, method)?.output.safeParse(without(answer, at)).success
      if (isOptional === true) expect(OPTIONAL, `${path} ${at.join('.')}`).toContain(at.at(-1))
      else expect(refusal, at.join('.')).toBeInstanceOf(WrongAnswer)
    }
  })

  it('are refused where a text is too long', { timeout: 60_000 }, async () => {
    for (const [path, port, method] of ANSWERING) {
      const answer = GOOD_ANSWERS[path]
      for (const at of placesIn(answer)) {
        if (typeof heldAt(answer, at) !== 'string') continue
        const long = changed(answer, at, () => TOO_LONG)
        const parsed = tableOf(port, method)?.output.safeParse(long)
        expect(parsed?.success, `${path} ${at.join('.')}`).toBe(false)
      }
    }
  })

  it('are left at the first bad one of very many', async () => {
    const flood = Array.from({ length: 900_000 }, () => 0)
    const parsed = HOST_METHODS.users['list']?.output.safeParse(flood)
    expect(parsed?.error?.issues).toHaveLength(1)
    const more = HOST_METHODS.users['list']?.output.safeParse(
      Array.from({ length: 1_000_001 }, () => 0),
    )
    expect(more?.error?.issues).toMatchObject([{ message: 'too many items' }])
  })

  it('are refused where they are about somebody or something else', async () => {
    const about: [string, Path, string][] = [
      ['users/create', ['username'], 'bob'],
      ['mailQueue/list', ['rows', 0, 'username'], 'bob'],
      ['mailQueue/message', ['id'], 'a2'],
      ['mailQueue/retry', ['id'], 'a2'],
      ['databases/facts', [0, 'database'], 'bob_a'],
      ['databases/facts', [0, 'database'], 'alicebob'],
      ['databaseCopies/exports', [0, 'database'], 'bob_a'],
      ['sftp/loginDifferences', [0, 'name'], 'bob'],
      ['sftp/userProblems', [0, 'name'], 'bob_web'],
      ['certificates/beginOrder', ['username'], 'bob'],
      ['certificates/beginOrder', ['domain'], 'b.example'],
      ['certificates/lookAtOrder', ['domain'], 'b.example'],
      ['certificates/issue', ['version'], 'op-2'],
      ['certificates/install', ['version'], 'op-2'],
      ['certificates/finishOrder', ['version'], 'op-2'],
      ['certificates/pair', ['domain'], 'b.example'],
      ['certificates/pair', ['version'], 'op-2'],
      ['frontSites/lacking', [0, 'domain'], 'b.example'],
      ['frontSites/lacking', [0, 'version'], 'op-2'],
    ]
    for (const [path, at, other] of about) {
      const one = METHODS.find(([known]) => known === path)
      if (one === undefined) throw new Error(`no method ${path}`)
      const refusal = await refusalOf(
        one,
        changed(GOOD_ANSWERS[path], at, () => other),
      )
      expect(refusal, `${path} ${at.join('.')}`).toBeInstanceOf(WrongAnswer)
      expect(String(refusal)).not.toContain(other)
    }
    const checked = METHODS.filter(([, port, method]) => tableOf(port, method)?.isAbout)
    expect(new Set(about.map(([path]) => path))).toEqual(new Set(checked.map(([path]) => path)))
  })

  it('never name what the host wrote as a key', async () => {
    const ini = { ini: { [SECRET]: 17 }, version: '8.2', server: [], extensions: [] }
    const error = await hostSays({ ...ini, maxBodyBytes: 1 })('php', 'facts', {
      ...{ version: '8.2', mode: 'fpm' },
    }).catch((failure: unknown) => failure)
    expect(error).toBeInstanceOf(WrongAnswer)
    expect(String(error)).not.toContain(SECRET)
  })

  it('find one fault in secrets of an account, however many there are', async () => {
    const bad = Object.fromEntries(Array.from({ length: 300_000 }, (_, at) => [`V${at}`, 1]))
    const good = GOOD_ANSWERS['moves/secrets'] as Record<string, unknown>
    const error = await hostSays({ ...good, applications: [{ secrets: bad }] })(
      ...(['moves', 'secrets', GOOD_ARGUMENTS['moves/secrets']] as const),
    ).catch((failure: unknown) => failure)
    expect(error).toBeInstanceOf(WrongAnswer)
    expect(String(error)).toContain('the answer: custom')
  })

  it('are waited for no longer than their time', async () => {
    vi.useFakeTimers()
    try {
      let signal: AbortSignal | null = null
      const client = createHostClient((request) => {
        signal = request.signal
        return new Promise(() => undefined)
      })
      const late = client.users.list().catch((error: unknown) => error)
      await vi.advanceTimersByTimeAsync((HOST_METHODS.users['list']?.limitSecs ?? 0) * 1000)
      expect(await late).toMatchObject({ status: 503 })
      expect(String(await late)).toContain('users/list within 60 seconds')
      expect(signal).toMatchObject({ aborted: true })
      expect(vi.getTimerCount()).toBe(0)
    } finally {
      vi.useRealTimers()
    }
  })
})
