import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { composeDns } from '#adapters/node/agent/certificates/dns/compose-dns.ts'
import { createProviderUpdates } from '#adapters/node/agent/certificates/dns/providers/provider-updates.ts'
import { dnsAccessPortContract } from '#test/contract/certificates/dns-access-port.ts'
import {
  createFakeDnsProviders,
  PROVIDER_TOKEN,
  type FakeDnsProviders,
} from '#test/fakes/certificates/fake-dns-providers.ts'

const ZONE = 'shop.example'
const NAME = `_acme-challenge.${ZONE}`
const KINDS = ['cloudflare', 'desec'] as const

const quiet = { debug() {}, info() {}, warn() {}, error() {} }
const dnsOf = (directory: string, providers: FakeDnsProviders) =>
  composeDns({
    registry: {
      account: (username: string) =>
        username === 'alice' || username === 'bob' ? ({ username } as never) : null,
    },
    lock: (_, work) => work(),
    ...{ asRoot: false, directory, mayBeLocal: false, log: quiet },
    options: { providers },
  })

for (const kind of KINDS)
  dnsAccessPortContract(`agent with ${kind}`, async () => {
    const directory = await mkdtemp(join(tmpdir(), 'berth-dns-'))
    const providers = await createFakeDnsProviders(ZONE)
    return {
      ...{ dnsAccess: dnsOf(directory, providers).port, username: 'alice', otherUsername: 'bob' },
      access: { kind, zone: ZONE, server: null, key_name: null, secret: PROVIDER_TOKEN },
      silent: { zone: 'elsewhere.example' },
      wrong: 'another-token-0123456789',
      async dispose() {
        await providers.dispose()
        await rm(directory, { recursive: true })
      },
    }
  })

describe.each(KINDS)('records at %s', (kind) => {
  let providers: FakeDnsProviders
  beforeAll(async () => {
    providers = await createFakeDnsProviders(ZONE)
  })
  afterAll(() => providers?.dispose())
  afterEach(() => providers.next.splice(0))
  const access = (change: object = {}) => ({
    ...{ name: 'main', kind, zone: ZONE, server: null, key_name: null, secret: PROVIDER_TOKEN },
    ...{ created_at: '2026-01-01 00:00:00', target: null, ...change },
  })
  const updates = () => createProviderUpdates(providers)

  it('stand beside others, also when set at once, and go alone', async () => {
    providers.put(NAME, 'foreign')
    const { add, remove } = updates()
    await Promise.all(['one', 'two'].map((value) => add(access(), { name: NAME, value })))
    await add(access(), { name: NAME, value: 'two' })
    expect(providers.texts(NAME)).toEqual(['foreign', 'one', 'two'])
    await Promise.all(['one', 'two'].map((value) => remove(access(), { name: NAME, value })))
    await remove(access(), { name: NAME, value: 'two' })
    expect(providers.texts(NAME)).toEqual(['foreign'])
  })

  it.each([
    ['a wrong token', { secret: 'another-token-0123456789' }, /does not accept the token/],
    ['a zone of somebody else', { zone: 'other.example' }, /is not in its zone/],
  ])('%s is refused in words of ours', async (_, change, why) => {
    const work = updates().add(access(change), { name: NAME, value: 'x' })
    const error: unknown = await work.catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ status: 503, message: expect.stringMatching(why) })
    expect(String(error)).not.toContain('another-token')
  })

  it('a zone that the token does not reach is told', async () => {
    const record = { name: '_acme-challenge.other.example', value: 'x' }
    const work = updates().add(access({ zone: 'other.example' }), record)
    await expect(work).rejects.toThrow(/no such zone/)
  })

  it.each<[string, FakeDnsProviders['next'][number], RegExp]>([
    ['a redirect', (_, r) => r.writeHead(307, { location: '/elsewhere' }).end(), /status 307/],
    ['an answer without end', (_, r) => r.end('x'.repeat(2 ** 21)), /does not answer/],
    ['an answer of another shape', (_, r) => r.end('{"success":true,"result":7}'), /refuses/],
    ['a broken connection', (_, r) => r.destroy(), /does not answer/],
    ['a failure', (_, r) => r.writeHead(502).end(PROVIDER_TOKEN), /status 502/],
    [
      'a long pause',
      (_, r) => r.writeHead(429, { 'retry-after': '900' }).end(),
      /Wait some minutes/,
    ],
  ])('%s ends it, and the token is told to nobody', async (_, instead, why) => {
    providers.next.push(instead)
    providers.asked.splice(0)
    const work = updates().add(access(), { name: NAME, value: 'x' })
    const error: unknown = await work.catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ status: 503, message: expect.stringMatching(why) })
    expect(JSON.stringify([String(error), error])).not.toContain(PROVIDER_TOKEN)
    expect(providers.asked).toHaveLength(1)
  })

  it('a short pause is waited for', async () => {
    providers.next.push((_, r) => r.writeHead(429, { 'retry-after': '0' }).end())
    await updates().add(access(), { name: NAME, value: 'after' })
    expect(providers.texts(NAME)).toContain('after')
  })

  it('values and names that no authority gives reach nobody', async () => {
    providers.asked.splice(0)
    for (const record of [
      { name: NAME, value: 'a"b' },
      { name: `${NAME}/../../x`, value: 'x' },
      { name: ZONE, value: 'x' },
    ])
      await expect(updates().add(access(), record)).rejects.toMatchObject({ status: 503 })
    expect(providers.asked).toEqual([])
  })

  it('the token is kept for root alone', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'berth-dns-'))
    try {
      const { created_at: _, ...own } = access()
      await dnsOf(directory, providers).port.add({ username: 'alice', access: own })
      const file = join(directory, 'access', 'alice.json')
      expect((await stat(file)).mode & 0o777).toBe(0o600)
      expect(await readFile(file, 'utf8')).toContain(PROVIDER_TOKEN)
    } finally {
      await rm(directory, { recursive: true })
    }
  })
})
