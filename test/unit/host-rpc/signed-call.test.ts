import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createCallOutcomes } from '#adapters/node/agent/calls/call-outcomes.ts'
import { createCallSessions } from '#adapters/node/agent/calls/call-sessions.ts'
import { createSignedHandler } from '#adapters/node/agent/calls/signed-handler.ts'
import { openRegistry } from '#adapters/node/agent/registry/registry.ts'
import { randomId } from '#handlers/domain/access/random-id.ts'
import { fromBase64Url, toBase64Url } from '#handlers/domain/text/base64-url.ts'
import {
  CALL_HEADER,
  OUTCOME_METHOD,
  SESSION_METHOD,
  SIGNATURE_HEADER,
  signCall,
} from '#adapters/shared/host-rpc/signed-call.ts'
import type { CallClaims } from '#adapters/shared/host-rpc/signed-call.ts'
import { createRecordingLog } from '#test/fakes/recording-log.ts'

const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text)
const newKeys = async (): Promise<CryptoKeyPair> =>
  (await crypto.subtle.generateKey('Ed25519', false, ['sign', 'verify'])) as CryptoKeyPair

let panel: CryptoKeyPair
let other: CryptoKeyPair
const directory = mkdtempSync(join(tmpdir(), 'berth-calls-'))
const closing = new Set<() => void>()
beforeAll(async () => {
  panel = await newKeys()
  other = await newKeys()
})
afterAll(() => {
  for (const close of closing) close()
  rmSync(directory, { recursive: true, force: true })
})
let registries = 0

const BODY = '{"input":{"username":"alice"}}'

/** A host with two panels, and a panel that signs calls for it. */
const setUp = async (
  bounds: { maxCalls?: number; maxSessions?: number } = {},
  registryFile = join(directory, `${String((registries += 1))}.db`),
) => {
  let clockMs = 0
  const registry = openRegistry(registryFile)
  const close = (): void => {
    registry.close()
    closing.delete(close)
  }
  closing.add(close)
  let work = async (): Promise<void> => undefined
  const sessions = createCallSessions(() => clockMs, bounds)
  const keys = new Map([
    ['panel-1', panel.publicKey],
    ['panel-2', other.publicKey],
  ])
  const log = createRecordingLog()
  const reached: CallClaims[] = []
  const handle = createSignedHandler({
    host: () => 'host-1',
    keyOf: (id) => keys.get(id) ?? null,
    sessions,
    outcomes: createCallOutcomes(registry.calls, 20),
    handler: async (request, claims) => {
      reached.push(claims)
      await work()
      return Response.json({ ok: true, data: await request.text() })
    },
    log,
    maxBodyBytes: 1000,
  })
  const signed = async (
    change: Partial<CallClaims> & { body?: string; key?: CryptoKey } = {},
  ): Promise<Headers> => {
    const { body = BODY, key = panel.privateKey, ...claims } = change
    const all = {
      ...{ host: 'host-1', panel: 'panel-1', session: null, call: randomId() },
      ...{ method: 'users/list', subject: null, term: null, ...claims },
    }
    return new Headers(await signCall(key, all, bytesOf(body)))
  }
  const post = async (headers: Headers, body: BodyInit = BODY, method = 'users/list') => {
    const response = await handle(
      new Request(`http://agent/${method}`, {
        ...{ method: 'POST', headers, body },
        ...(body instanceof ReadableStream && { duplex: 'half' }),
      }),
    )
    const { refusal, data } = (await response.json()) as { refusal?: string; data?: unknown }
    return { status: response.status, refusal, data }
  }
  const open = async (change: Parameters<typeof signed>[0] = {}): Promise<string> => {
    const headers = await signed({ body: '', method: SESSION_METHOD, ...change })
    const { data } = await post(headers, '', SESSION_METHOD)
    return (data as { session: string }).session
  }
  const outcome = async (session: string, call: string): Promise<unknown> => {
    const body = JSON.stringify({ input: { call } })
    const headers = await signed({ session, body, method: OUTCOME_METHOD })
    return (await post(headers, body, OUTCOME_METHOD)).data
  }
  return {
    ...{ signed, post, open, keys, log, reached, sessions, outcome, close, registryFile },
    whileRunning: (wait: () => Promise<void>): void => void (work = wait),
    pass: (ms: number): void => void (clockMs += ms),
  }
}
const REFUSED = (refusal: string) => ({ status: 401, refusal, data: undefined })

describe('signed calls', () => {
  it('reach the host once, with their body', async () => {
    const { signed, post, open, reached } = await setUp()
    const session = await open()
    const headers = await signed({ session, subject: 'account:alice', term: 7 })
    expect(await post(headers)).toMatchObject({ status: 200, data: BODY })
    expect(reached).toMatchObject([{ panel: 'panel-1', subject: 'account:alice', term: 7 }])
    expect(await post(headers)).toEqual(REFUSED('replayed'))
    expect(reached).toHaveLength(1)
  })

  it('are refused without a signature, or with one of another key', async () => {
    const { signed, post, open, reached } = await setUp()
    const session = await open()
    expect(await post(new Headers())).toEqual(REFUSED('unsigned'))
    for (const name of [CALL_HEADER, SIGNATURE_HEADER]) {
      const lacking = await signed({ session })
      lacking.delete(name)
      expect(await post(lacking)).toEqual(REFUSED('unsigned'))
    }
    const forged = await signed({ session, key: other.privateKey })
    expect(await post(forged)).toEqual(REFUSED('bad-signature'))
    expect(reached).toEqual([])
  })

  it('are refused when any of what they claim was changed behind the signature', async () => {
    const { signed, post, open, reached } = await setUp()
    const session = await open()
    const headers = await signed({ session })
    const claims = JSON.parse(
      new TextDecoder().decode(fromBase64Url(headers.get(CALL_HEADER) ?? '')),
    ) as Record<string, unknown>
    const changes = {
      ...{ host: 'host-2', panel: 'panel-2', session: randomId(), call: randomId() },
      ...{ method: 'users/remove', sha256: 'a'.repeat(64), subject: 'account:bob', term: 9 },
    }
    expect([...Object.keys(changes), 'v'].sort()).toEqual(Object.keys(claims).sort())
    for (const [key, value] of Object.entries(changes)) {
      const changed = new Headers(headers)
      changed.set(CALL_HEADER, toBase64Url(bytesOf(JSON.stringify({ ...claims, [key]: value }))))
      expect(await post(changed), key).toEqual(REFUSED('bad-signature'))
    }
    // The same claims, written otherwise, are not what was signed.
    const spaced = new Headers(headers)
    spaced.set(CALL_HEADER, toBase64Url(bytesOf(JSON.stringify(claims, null, 1))))
    expect(await post(spaced)).toEqual(REFUSED('bad-signature'))
    expect(reached).toEqual([])
    expect((await post(headers)).status).toBe(200)
  })

  it('are refused with another body, at another host, path or session', async () => {
    const { signed, post, open, reached } = await setUp()
    const session = await open()
    const theirs = await open({ panel: 'panel-2', key: other.privateKey })
    const headers = await signed({ session })
    expect(await post(headers, `${BODY} `)).toEqual(REFUSED('changed-body'))
    expect(await post(headers, '')).toEqual(REFUSED('changed-body'))
    expect(await post(headers, BODY, 'users/remove')).toEqual(REFUSED('wrong-method'))
    expect(await post(await signed({ session, host: 'host-2' }))).toEqual(REFUSED('wrong-host'))
    expect(await post(await signed())).toEqual(REFUSED('stale-session'))
    expect(await post(await signed({ session: randomId() }))).toEqual(REFUSED('stale-session'))
    expect(await post(await signed({ session: theirs }))).toEqual(REFUSED('stale-session'))
    expect(reached).toEqual([])
    // None of that used up the call itself.
    expect((await post(headers)).status).toBe(200)
  })

  it('are refused when they are nothing that a panel writes', async () => {
    const { signed, post, open } = await setUp()
    const session = await open()
    const headers = await signed({ session })
    const with_ = (name: string, value: string): Headers => {
      const changed = new Headers(headers)
      changed.set(name, value)
      return changed
    }
    const encoded = (value: unknown): string => toBase64Url(bytesOf(JSON.stringify(value)))
    const good = headers.get(CALL_HEADER) ?? ''
    for (const text of ['', '!', `${good}=`, `${good} `.repeat(2), good.repeat(20), encoded(null)])
      expect(await post(with_(CALL_HEADER, text)), text).toEqual(REFUSED('malformed'))
    const claims = JSON.parse(new TextDecoder().decode(fromBase64Url(good))) as object
    for (const change of [
      { v: 2 },
      { more: 1 },
      { term: -1 },
      { call: 'A'.repeat(32) },
      { v: '1' },
    ])
      expect(await post(with_(CALL_HEADER, encoded({ ...claims, ...change })))).toEqual(
        REFUSED('malformed'),
      )
    const signature = headers.get(SIGNATURE_HEADER) ?? ''
    for (const text of ['', signature.slice(1), `${signature}A`, '!'.repeat(86)])
      expect(await post(with_(SIGNATURE_HEADER, text)), text).toEqual(REFUSED('malformed'))
    expect(await post(with_(SIGNATURE_HEADER, 'A'.repeat(86)))).toEqual(REFUSED('bad-signature'))
  })

  it('of a panel that was removed are refused at once, with its sessions', async () => {
    const { signed, post, open, keys, sessions } = await setUp()
    const session = await open()
    keys.delete('panel-1')
    expect(await post(await signed({ session }))).toEqual(REFUSED('unknown-panel'))
    expect(await post(await signed({ body: '' }), '', SESSION_METHOD)).toEqual(
      REFUSED('unknown-panel'),
    )
    sessions.forget('panel-1')
    keys.set('panel-1', panel.publicKey)
    expect(await post(await signed({ session }))).toEqual(REFUSED('stale-session'))
  })

  it('end with ten minutes of silence, not with ten minutes', async () => {
    const { signed, post, open, pass } = await setUp()
    const session = await open()
    for (let minutes = 0; minutes < 27; minutes += 9) {
      pass(9 * 60_000)
      expect((await post(await signed({ session }))).status).toBe(200)
    }
    const kept = await signed({ session })
    pass(10 * 60_000)
    expect(await post(kept)).toEqual(REFUSED('stale-session'))
  })

  it('of before a restart do not count', async () => {
    const before = await setUp()
    const session = await before.open()
    const kept = await before.signed({ session })
    const after = await setUp()
    await after.open()
    expect(await after.post(kept)).toEqual(REFUSED('stale-session'))
  })

  it('are bounded in number, and sessions too', async () => {
    const { signed, post, open } = await setUp({ maxCalls: 2, maxSessions: 2 })
    const theirs = await open({ panel: 'panel-2', key: other.privateKey })
    const first = await open()
    const second = await open()
    const call = (session: string) => signed({ session }).then((headers) => post(headers))
    expect((await call(first)).status).toBe(200)
    expect((await call(first)).status).toBe(200)
    expect(await call(first)).toEqual(REFUSED('stale-session'))
    const third = await open()
    // At one moment the one that was opened first has rested longest.
    expect(await call(first)).toEqual(REFUSED('stale-session'))
    expect((await call(second)).status).toBe(200)
    expect((await call(third)).status).toBe(200)
    const headers = await signed({ session: theirs, panel: 'panel-2', key: other.privateKey })
    expect((await post(headers)).status).toBe(200)
  })

  it('with too large a body are refused before anything else, announced or not', async () => {
    const { signed, post, reached, log } = await setUp()
    const body = 'x'.repeat(1001)
    const headers = await signed({ body })
    expect(await post(headers, body)).toMatchObject({ status: 413, refusal: 'oversized' })
    let pulled = 0
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        pulled += 1
        controller.enqueue(new Uint8Array(400))
      },
    })
    expect(await post(headers, endless)).toMatchObject({ status: 413, refusal: 'oversized' })
    expect(pulled).toBeLessThan(10)
    expect(reached).toEqual([])
    expect(log.lines.join()).not.toContain('xxx')
  })
})

const CHANGE = '{"input":{"operationId":"op-1","username":"alice"}}'

describe('outcomes of calls that change something', () => {
  it('are known while they run, and afterwards as they were answered', async () => {
    const host = await setUp()
    const session = await host.open()
    const call = randomId()
    const gate = Promise.withResolvers<undefined>()
    host.whileRunning(() => gate.promise)
    const headers = await host.signed({ session, call, method: 'users/remove', body: CHANGE })
    const answered = host.post(headers, CHANGE, 'users/remove')
    await expect.poll(() => host.reached).toHaveLength(1)
    expect(await host.outcome(session, call)).toEqual({ state: 'running' })
    gate.resolve(undefined)
    expect((await answered).status).toBe(200)
    const kept = { status: 200, body: JSON.stringify({ ok: true, data: CHANGE }) }
    expect(await host.outcome(session, call)).toEqual({ state: 'answered', answer: kept })
  })

  it('that never came are unseen, and refused from then on in any session', async () => {
    const { signed, post, open, outcome, reached } = await setUp()
    const call = randomId()
    expect(await outcome(await open(), call)).toEqual({ state: 'unseen' })
    const session = await open()
    const late = await signed({ session, call, method: 'users/remove', body: CHANGE })
    expect(await post(late, CHANGE, 'users/remove')).toEqual(REFUSED('replayed'))
    expect(await outcome(session, call)).toEqual({ state: 'unseen' })
    expect(reached).toEqual([])
  })

  it('survive a restart, those that ran as cut off with their operation', async () => {
    const before = await setUp()
    const session = await before.open()
    const [done, cut] = [randomId(), randomId()]
    const send = async (call: string) => {
      const headers = await before.signed({ session, call, method: 'users/remove', body: CHANGE })
      return before.post(headers, CHANGE, 'users/remove')
    }
    expect((await send(done)).status).toBe(200)
    before.whileRunning(() => new Promise(() => undefined))
    void send(cut)
    await expect.poll(() => before.reached).toHaveLength(2)
    before.close()

    const after = await setUp({}, before.registryFile)
    const fresh = await after.open()
    expect(await after.outcome(fresh, done)).toMatchObject({ state: 'answered' })
    expect(await after.outcome(fresh, cut)).toEqual({ state: 'cut-off', operationId: 'op-1' })
    // Neither is run again, in whichever session it comes.
    for (const call of [done, cut]) {
      const again = await after.signed({
        ...{ session: fresh, call, method: 'users/remove', body: CHANGE },
      })
      expect(await after.post(again, CHANGE, 'users/remove')).toEqual(REFUSED('replayed'))
    }
    expect(after.reached).toEqual([])
  })

  it('hold no secret, and nothing of what is only read', async () => {
    const { signed, post, open, outcome } = await setUp()
    const session = await open()
    const [secret, read] = [randomId(), randomId()]
    const method = 'databaseTool/open'
    const answer = await post(await signed({ session, call: secret, method }), BODY, method)
    expect(answer).toMatchObject({ status: 200, data: BODY })
    expect(await outcome(session, secret)).toEqual({ state: 'answered', answer: null })
    expect((await post(await signed({ session, call: read }))).status).toBe(200)
    expect(await outcome(session, read)).toEqual({ state: 'unseen' })
  })

  it('are asked for in a signed call of a session alone', async () => {
    const { signed, post, open } = await setUp()
    const body = JSON.stringify({ input: { call: randomId() } })
    const loose = await signed({ body, method: OUTCOME_METHOD })
    expect(await post(loose, body, OUTCOME_METHOD)).toEqual(REFUSED('stale-session'))
    const session = await open()
    for (const wrong of ['', '{}', '{"input":{"call":"x"}}', '[']) {
      const headers = await signed({ session, body: wrong, method: OUTCOME_METHOD })
      expect(await post(headers, wrong, OUTCOME_METHOD)).toEqual(REFUSED('malformed'))
    }
  })
})
