import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openStore } from '#adapters/node/store/open-store.ts'
import { formatLinkAddress, parseLinkAddress } from '#handlers/domain/hosts/link-address.ts'
import { unavailable } from '#handlers/errors.ts'
import type { HostLinks } from '#handlers/ports/host-links.ts'
import { createHosts } from '#handlers/services/hosts/hosts.ts'
import { noLinkKeys } from '#test/fakes/links/link-keys.ts'

let directory: string
let opened: Awaited<ReturnType<typeof openStore>>
let nowMs = 0
let meet: HostLinks['meet']
let joinKeys = 0
const NOBODY = { version: 0, told: [], waiting: [] }
const setUp = (links = true) =>
  createHosts({
    store: opened.store,
    clock: { nowMs: () => nowMs },
    fronts: { changed: () => undefined, empty: async () => undefined },
    trust: { trustOwn: async () => undefined, tellTrust: async () => NOBODY },
    ...(links && {
      hostLinks: {
        invite: async () => {
          joinKeys += 1
          return { token: `token-${String(joinKeys)}`, joinKey: `key-${String(joinKeys)}` }
        },
        meet: (host) => meet(host),
        reach: () => Promise.reject(unavailable('nobody')),
        probe: () => Promise.reject(unavailable('nobody')),
        tell: () => Promise.reject(unavailable('nobody')),
        ...noLinkKeys,
      },
    }),
  })
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'berth-hosts-'))
  opened = await openStore(join(directory, 'panel.db'))
  nowMs = Date.UTC(2026, 0, 1)
  meet = async () => ({ certificate: 'PEM' })
})
afterEach(async () => {
  await opened.close()
  rmSync(directory, { recursive: true, force: true })
})
const TWO = { name: 'two', address: '192.0.2.2', role: 'host' } as const
const MINUTES = 60_000

it('a machine is invited, and open once it was dialled; nothing secret is shown', async () => {
  const hosts = setUp()
  const added = await hosts.add(TWO)
  expect(added).toMatchObject({ ...TWO, address: '192.0.2.2:7072', state: 'joining' })
  expect(added.join_until).toBe('2026-01-01 00:15:00')
  expect(added.link_id).toMatch(/^host-[0-9a-f]{12}$/)
  for (const secret of ['certificate', 'join_key', 'join_until_secs', 'token'])
    expect((await hosts.list())[1]).not.toHaveProperty(secret)
  expect(await hosts.open('two')).toMatchObject({ state: 'open', join_until: null })
  await expect(hosts.open('two')).rejects.toMatchObject({ status: 409 })
  await expect(hosts.add(TWO)).rejects.toMatchObject({ status: 409, field: 'name' })
})

it('a token counts for 15 minutes, also while the machine is dialled', async () => {
  const hosts = setUp()
  await hosts.add(TWO)
  nowMs += 15 * MINUTES
  await expect(hosts.open('two')).rejects.toThrow(/counts no more/)
  nowMs -= MINUTES
  meet = async () => {
    nowMs += 2 * MINUTES
    return { certificate: 'PEM' }
  }
  await expect(hosts.open('two')).rejects.toThrow(/counts no more/)
  expect((await hosts.list())[1]?.state).toBe('joining')
})

it('a machine that proves nothing is not opened, and two that dial open it once', async () => {
  const hosts = setUp()
  await hosts.add(TWO)
  meet = async () => {
    throw unavailable('nobody')
  }
  await expect(hosts.open('two')).rejects.toMatchObject({ status: 503 })
  expect((await hosts.list())[1]?.state).toBe('joining')
  meet = async () => ({ certificate: 'PEM' })
  const both = await Promise.allSettled([hosts.open('two'), hosts.open('two')])
  expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
})

it('one that was removed and invited anew meanwhile is not opened by the old token', async () => {
  const hosts = setUp()
  await hosts.add(TWO)
  meet = async () => {
    await hosts.remove('two')
    await hosts.add(TWO)
    return { certificate: 'PEM' }
  }
  await expect(hosts.open('two')).rejects.toThrow(/changed meanwhile/)
  expect((await hosts.list())[1]?.state).toBe('joining')
})

it('a panel without links says so', async () => {
  const hosts = setUp(false)
  await expect(hosts.add(TWO)).rejects.toMatchObject({ status: 503 })
  await expect(hosts.remove('two')).rejects.toMatchObject({ status: 404 })
})

it('addresses of links have a port of their own or the usual one', () => {
  for (const [text, whole] of [
    ['192.0.2.2', '192.0.2.2:7072'],
    ['host.example:99', 'host.example:99'],
    ['[2001:db8::7]', '[2001:db8::7]:7072'],
    ['[2001:db8::7]:1', '[2001:db8::7]:1'],
  ] as const) {
    const parsed = parseLinkAddress(text)
    expect(parsed && formatLinkAddress(parsed), text).toBe(whole)
  }
  for (const text of [
    ...[
      '',
      ':1',
      'a:',
      'a:0',
      'a:65536',
      'a:1:2',
      '2001:db8::7',
      '[2001:db8::7',
      '[a b]:1',
      '[]:1',
    ],
    ...['http://a', 'a/b', 'a@b', '-a', `${'a'.repeat(254)}`, '[::1]1', 'a:+1', 'a: 1'],
  ])
    expect(parseLinkAddress(text), text).toBeNull()
})
