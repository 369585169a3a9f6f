import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createCallOutcomes } from '#adapters/node/agent/calls/call-outcomes.ts'
import { createCallSessions } from '#adapters/node/agent/calls/call-sessions.ts'
import { createSignedHandler } from '#adapters/node/agent/calls/signed-handler.ts'
import { openRegistry } from '#adapters/node/agent/registry/registry.ts'
import {
  ConnectionBroken,
  createSignedSend,
  HostAway,
} from '#adapters/shared/host-rpc/link/signed-send.ts'
import { createRecordingLog } from '#test/fakes/recording-log.ts'

/** What happens to one request on its way. */
type Fate = 'arrives' | 'answer-lost' | 'never-arrives' | 'away'

let directory: string
const closing: (() => void)[] = []
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'berth-send-'))
})
afterEach(() => {
  for (const close of closing.splice(0)) close()
  rmSync(directory, { recursive: true, force: true })
})

const setUp = async (answerWithinMs = 20_000) => {
  const keys = (await crypto.subtle.generateKey('Ed25519', false, [
    'sign',
    'verify',
  ])) as CryptoKeyPair
  let registry = openRegistry(join(directory, 'registry.db'))
  closing.push(() => registry.close())
  const ran: string[] = []
  const fates: Fate[] = []
  const sent: string[] = []
  let work = async (): Promise<void> => undefined
  const host = () =>
    createSignedHandler({
      host: () => 'host-1',
      keyOf: () => keys.publicKey,
      sessions: createCallSessions(),
      outcomes: createCallOutcomes(registry.calls, answerWithinMs),
      handler: async (request) => {
        ran.push(new URL(request.url).pathname)
        await work()
        return Response.json({ ok: true, data: await request.text() })
      },
      log: createRecordingLog(),
      answerWithinMs,
    })
  let handle = host()
  const send = createSignedSend({
    ...{ host: 'host-1', panel: 'panel-1', key: keys.privateKey, pauseMs: 1 },
    async send(request) {
      const method = new URL(request.url).pathname.slice(1)
      sent.push(method)
      // Sessions arrive: what happens to them is told apart.
      const fate =
        method === 'session' && fates[0] !== 'away' ? 'arrives' : (fates.shift() ?? 'arrives')
      if (fate === 'away') throw new HostAway('host-1')
      if (fate === 'never-arrives') throw new ConnectionBroken('host-1')
      const response = await handle(request)
      if (fate === 'answer-lost') throw new ConnectionBroken('host-1')
      return response
    },
  })
  const ask = async (method: string, signal?: AbortSignal) => {
    const body = '{"input":{"operationId":"op-1","username":"alice"}}'
    const response = await send(
      new Request(`http://agent/${method}`, { method: 'POST', body, ...(signal && { signal }) }),
    )
    return { status: response.status, body: await response.text() }
  }
  return {
    ...{ ask, send, ran, sent, fates },
    whileRunning: (wait: () => Promise<void>): void => void (work = wait),
    restart: () => {
      registry.close()
      registry = openRegistry(join(directory, 'registry.db'))
      handle = host()
    },
  }
}
const ANSWERED = { status: 200, body: expect.stringContaining('alice') as unknown }

it('gets one session for many calls', async () => {
  const { ask, sent } = await setUp()
  await Promise.all([ask('users/list'), ask('users/list'), ask('users/remove')])
  expect(sent.filter((method) => method === 'session')).toHaveLength(1)
})

it('gets a new session where the host knows the old one no more, and repeats the call in it', async () => {
  const { ask, ran, sent, restart } = await setUp()
  await ask('users/list')
  restart()
  expect(await ask('users/remove')).toEqual(ANSWERED)
  expect(ran).toEqual(['/users/list', '/users/remove'])
  expect(sent.filter((method) => method === 'session')).toHaveLength(2)
})

it('asks for an answer that was lost, and repeats nothing that changes something', async () => {
  const { ask, ran, fates } = await setUp()
  fates.push('answer-lost', 'answer-lost', 'away', 'never-arrives')
  expect(await ask('users/remove')).toEqual(ANSWERED)
  expect(ran).toEqual(['/users/remove'])
})

it('sends a change again only after the host said that it never came', async () => {
  const { ask, ran, sent, fates } = await setUp()
  fates.push('never-arrives')
  expect(await ask('users/remove')).toEqual(ANSWERED)
  expect(ran).toEqual(['/users/remove'])
  expect(sent).toEqual(['session', 'users/remove', 'outcome', 'users/remove'])
  fates.push('never-arrives', 'arrives', 'never-arrives')
  await expect(ask('users/remove')).rejects.toMatchObject({ status: 503 })
  expect(ran).toHaveLength(1)
})

it('asks a second time for what only reads, without asking what became of it', async () => {
  const { ask, sent, fates } = await setUp()
  fates.push('answer-lost')
  expect(await ask('users/list')).toEqual(ANSWERED)
  expect(sent).toEqual(['session', 'users/list', 'users/list'])
})

it('waits for what takes longer than one request, and fetches its answer', async () => {
  for (const method of ['users/list', 'users/remove', 'databaseTool/open']) {
    const { ask, ran, whileRunning } = await setUp(10)
    const gate = Promise.withResolvers<undefined>()
    whileRunning(() => gate.promise)
    const answered = ask(method)
    await expect.poll(() => ran).toHaveLength(1)
    setTimeout(() => gate.resolve(undefined), 50)
    expect(await answered).toEqual(ANSWERED)
    expect(ran).toHaveLength(1)
    closing.splice(0).forEach((close) => close())
  }
})

it('says so where the agent was restarted while it worked', async () => {
  const { ask, ran, fates, whileRunning, restart } = await setUp(10)
  whileRunning(() => new Promise(() => undefined))
  const answered = ask('users/remove')
  const failed = expect(answered).rejects.toThrow(/restarted while it worked/)
  await expect.poll(() => ran).toHaveLength(1)
  fates.push('away')
  restart()
  await failed
})

it('fails at once where the host is away, and gives up when it is told to', async () => {
  const { ask, ran, fates, whileRunning } = await setUp(5)
  fates.push('away')
  await expect(ask('users/remove')).rejects.toBeInstanceOf(HostAway)
  expect(ran).toEqual([])
  whileRunning(() => new Promise(() => undefined))
  const abort = new AbortController()
  const answered = ask('users/remove', abort.signal)
  const failed = expect(answered).rejects.toThrow('enough')
  await expect.poll(() => ran).toHaveLength(1)
  abort.abort(new Error('enough'))
  await failed
})

/** More than a call takes, with a mark at each end. */
const large = (bytes: number): string => `<${'x'.repeat(bytes - 2)}>`

it('sends a body that no call takes in parts, and each part again whose answer was lost', async () => {
  const { send, sent, ran, fates } = await setUp()
  fates.push('arrives', 'answer-lost')
  const body = large(13 * 2 ** 20)
  const response = await send(new Request('http://agent/files/write', { method: 'POST', body }))
  const { data } = (await response.json()) as { data: string }
  expect(data.length).toBe(body.length)
  expect(data.slice(-2)).toBe('x>')
  expect(sent.filter((method) => method === 'part')).toHaveLength(5)
  expect(ran).toEqual(['/files/write'])
})

it('sends all parts anew where the call never came, and refuses what is larger than all parts', async () => {
  const { send, sent, ran, fates } = await setUp()
  fates.push('arrives', 'arrives', 'never-arrives')
  const body = large(5 * 2 ** 20)
  await send(new Request('http://agent/files/write', { method: 'POST', body }))
  expect(sent.filter((method) => method === 'part')).toHaveLength(4)
  expect(ran).toEqual(['/files/write'])
  const beyond = new Uint8Array(96 * 2 ** 20 + 1)
  const asked = send(new Request('http://agent/files/write', { method: 'POST', body: beyond }))
  await expect(asked).rejects.toMatchObject({ status: 413 })
})
