import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { createCallOutcomes } from '#adapters/node/agent/calls/call-outcomes.ts'
import { createCallSessions } from '#adapters/node/agent/calls/call-sessions.ts'
import { createSignedHandler } from '#adapters/node/agent/calls/signed-handler.ts'
import { openRegistry } from '#adapters/node/agent/registry/registry.ts'
import { adminClient, createAccount } from '#test/contract/frame/api-instance.ts'
import { createRecordingLog } from '#test/fakes/recording-log.ts'
import { makeDeployedApi } from './api-workerd.ts'

let keys: CryptoKeyPair
let linkKey: string
beforeAll(async () => {
  keys = (await crypto.subtle.generateKey('Ed25519', true, ['sign', 'verify'])) as CryptoKeyPair
  const jwk = (await crypto.subtle.exportKey('jwk', keys.privateKey)) as JsonWebKey
  const { x, d } = jwk
  const signing = { kty: 'OKP', crv: 'Ed25519', x, d }
  linkKey = JSON.stringify({ host: 'host-1', panel: 'panel-1', signing })
})
const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

type Handle = (request: Request) => Promise<Response>

/** The panel's Worker before the agent's own judge of signatures. */
const setUp = async (
  over: { key?: string; isHostBound?: boolean; gate?: Handle; access?: string } = {},
) => {
  const directory = mkdtempSync(join(tmpdir(), 'berth-signed-'))
  closing.push(() => rmSync(directory, { recursive: true, force: true }))
  const registry = openRegistry(join(directory, 'registry.db'))
  closing.push(() => registry.close())
  const asked: string[] = []
  const access = over.access === undefined ? {} : { LINK_ACCESS: over.access }
  const api = await makeDeployedApi({
    variables: { LINK_KEY: over.key ?? linkKey, LINK_URL: 'https://link.test:7071', ...access },
    isHostBound: over.isHostBound ?? true,
    through(handler) {
      const judged = createSignedHandler({
        host: () => 'host-1',
        keyOf: (panel) => (panel === 'panel-1' ? keys.publicKey : null),
        sessions: createCallSessions(),
        outcomes: createCallOutcomes(registry.calls, 20_000),
        handler,
        log: createRecordingLog(),
      })
      return async (request) => {
        asked.push(request.url)
        return over.gate === undefined ? judged(request) : over.gate(request)
      }
    },
  })
  closing.push(() => api.close())
  return { api, asked }
}

test.each([true, false])(
  'an account is made on a host that takes signed calls alone (through a binding: %s)',
  async (isHostBound) => {
    const { api, asked } = await setUp({ isHostBound })
    const admin = await adminClient(api)
    await createAccount(admin, 'alice', 'alice.example')
    const users = await api.host.users.list()
    expect(users.map(({ username }) => username)).toEqual(['alice'])
    // Requests at once, none of which waits for what another one began.
    const paths = ['/api/system/info', '/api/php/versions', '/api/accounts']
    const crowd = Array.from({ length: 24 }, (_, at) => admin.get(paths[at % 3] ?? ''))
    expect([...new Set((await Promise.all(crowd)).map(({ status }) => status))]).toEqual([200])
    expect(asked.every((url) => url.startsWith('https://link.test:7071/'))).toBe(true)
    expect(asked.filter((url) => url.endsWith('/session')).length).toBeLessThan(12)
  },
)

test('a panel with another key is refused, and says so', async () => {
  const other = (await crypto.subtle.generateKey('Ed25519', true, [
    'sign',
    'verify',
  ])) as CryptoKeyPair
  const { x, d } = (await crypto.subtle.exportKey('jwk', other.privateKey)) as JsonWebKey
  const signing = { kty: 'OKP', crv: 'Ed25519', x, d }
  const { api } = await setUp({
    key: JSON.stringify({ host: 'host-1', panel: 'panel-1', signing }),
  })
  const admin = await adminClient(api)
  const { status, body } = await admin.get('/api/system/info')
  expect([status, body.error]).toEqual([503, expect.stringContaining('does not take calls')])
})

test('a tunnel without its other end is a host that is away', async () => {
  const gate: Handle = () => Promise.resolve(new Response('error code: 1033', { status: 530 }))
  const { api } = await setUp({ gate })
  const admin = await adminClient(api)
  expect((await admin.get('/api/system/info')).status).toBe(503)
  expect((await admin.get('/api/accounts')).status).toBe(200)
})

test.each([
  [false, 'a.access:secret-1'],
  [true, null],
])('a service token opens the way to the tunnel (through a binding: %s)', async (bound, told) => {
  const seen = new Set<string | null>()
  const gate: Handle = ({ headers }) => {
    const [id, secret] = [
      headers.get('cf-access-client-id'),
      headers.get('cf-access-client-secret'),
    ]
    seen.add(id === null ? null : `${id}:${secret}`)
    return Promise.resolve(new Response('error code: 1033', { status: 530 }))
  }
  const { api } = await setUp({ isHostBound: bound, gate, access: 'a.access:secret-1' })
  const admin = await adminClient(api)
  await admin.get('/api/system/info')
  expect([...seen]).toEqual([told])
})

test.each([
  ['LINK_ACCESS', { access: 'only-a-secret' }],
  ['LINK_KEY', { key: '{"host":"only-a-secret"}' }],
])('a secret that is none is told where it is needed, and not repeated: %s', async (name, over) => {
  const { api } = await setUp({ isHostBound: false, ...over })
  const admin = await adminClient(api)
  const { status, body } = await admin.get('/api/system/info')
  expect([status, body.error]).toEqual([503, expect.stringContaining(name)])
  expect(body.error).not.toContain('only-a-secret')
  expect((await admin.get('/api/accounts')).status).toBe(200)
})
