import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openStore } from '#adapters/node/store/open-store.ts'
import { unavailable } from '#handlers/errors.ts'
import type { HostLinks, ToldTrust } from '#handlers/ports/host-links.ts'
import { MOST_TRUST_STEP } from '#handlers/domain/hosts/trust-step.ts'
import { createTrust } from '#handlers/services/hosts/trust.ts'
import { noLinkKeys } from '#test/fakes/links/link-keys.ts'

const NOW = '2026-01-01 00:00:00'
let directory: string
let opened: Awaited<ReturnType<typeof openStore>>
/** What the machines `one` and `two` hold; null: it does not answer. */
let held: Map<string, ToldTrust | null>
let told: string[]

const panel = (id: string) => ({ id, certificate: `PEM ${id}`, key: `key ${id}` })
const nobody = () => Promise.reject(unavailable('nobody'))
const linksOf = (id: string): HostLinks => ({
  ...{ invite: nobody, meet: nobody, reach: nobody, probe: nobody },
  ...noLinkKeys,
  keys: () => Promise.resolve([{ ...panel(id), since: 0 }]),
  tell: (host, { version, panels }) => {
    const at = held.get(host.link_id)
    if (at === undefined || at === null) return nobody()
    if (!at.panels.some((known) => known.id === id) || at.version >= version)
      return Promise.resolve(at)
    if (version > at.version + MOST_TRUST_STEP) return Promise.resolve(at)
    told.push(`${host.link_id} ${version}`)
    const kept = panels.filter((one) => !at.forgotten.includes(one.id))
    const next = { ...at, version, panels: kept.map(({ id: name, key }) => ({ id: name, key })) }
    held.set(host.link_id, next)
    return Promise.resolve(next)
  },
})
const trustOf = (id: string, instance?: string) =>
  createTrust({
    store: opened.store,
    clock: { nowMs: () => Date.UTC(2026, 0, 1) },
    hostLinks: linksOf(id),
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    ...(instance !== undefined && { instance }),
  })
const addHost = async (name: string) => {
  const link_id = `host-${name}`
  const made = await opened.store.insertHost({
    ...{ name, role: 'host', address: '192.0.2.2:7072', link_id, certificate: null },
    next_certificate: null,
    ...{ join_key: 'key', join_until_secs: 0, state: 'joining', seen_secs: null, misses: 0 },
    ...{ disk_free_percent: null, php_versions: '[]', trust_version: 0, weight: 1 },
    created_at: NOW,
  })
  if (made === 'duplicate') throw new Error('it is new')
  await opened.store.openHost(made.id, 'key', 'PEM')
  held.set(link_id, { version: 1, panels: [panel('panel-a')], forgotten: [] })
}
const idsAt = (name: string) => held.get(`host-${name}`)?.panels.map(({ id }) => id)

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'berth-trust-'))
  opened = await openStore(join(directory, 'panel.db'))
  held = new Map()
  told = []
  await addHost('one')
  await addHost('two')
})
afterEach(async () => {
  await opened.close()
  rmSync(directory, { recursive: true, force: true })
})

it('machines that joined by one panel are told nothing, and are known to have its list', async () => {
  const trust = trustOf('panel-a')
  expect(await trust.tellTrust()).toEqual({ version: 1, told: ['one', 'two'], waiting: [] })
  expect(told).toEqual([])
  expect(await trust.panels()).toEqual([{ ...panel('panel-a'), own: true, created_at: NOW }])
})

it('a panel that comes or goes is told at once, and to who was away when it is back', async () => {
  const trust = trustOf('panel-a', 'a')
  await trust.tellTrust()
  const away = held.get('host-two') ?? null
  held.set('host-two', null)
  expect(await trust.trustPanel(panel('panel-b'))).toEqual({
    ...{ version: 2, told: ['one'], waiting: ['two'] },
  })
  expect(idsAt('one')).toEqual(['panel-a', 'panel-b'])
  held.set('host-two', away)
  // The new one is obeyed there by nobody yet, and cannot say so itself.
  expect(await trustOf('panel-b', 'b').tellTrust()).toMatchObject({ waiting: ['two'] })
  expect(await trust.tellTrust()).toMatchObject({ told: ['one', 'two'], waiting: [] })
  expect(idsAt('two')).toEqual(['panel-a', 'panel-b'])
  await expect(trust.trustPanel({ ...panel('panel-b'), key: 'other' })).rejects.toMatchObject({
    status: 409,
  })
  await expect(trust.removePanel('panel-a')).rejects.toMatchObject({ status: 409 })
  await expect(trust.removePanel('panel-c')).rejects.toMatchObject({ status: 404 })
  expect(await trust.removePanel('panel-b')).toMatchObject({ version: 3, waiting: [] })
  expect([idsAt('one'), idsAt('two')]).toEqual([['panel-a'], ['panel-a']])
  // Who was removed does not come back by itself.
  await trustOf('panel-b', 'b').tellTrust()
  expect((await trust.panels()).map(({ id }) => id)).toEqual(['panel-a'])
})

it('records that are older than what a machine has seen get a version above it', async () => {
  const trust = trustOf('panel-a', 'a')
  held.set('host-one', { version: 8, panels: [panel('panel-a'), panel('panel-x')], forgotten: [] })
  expect(await trust.tellTrust()).toEqual({ version: 9, told: ['one', 'two'], waiting: [] })
  expect(told.sort()).toEqual(['host-one 9', 'host-two 9'])
  expect(idsAt('one')).toEqual(['panel-a'])
})

it.each([Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER - 1, 20_000])(
  'a machine that says to have version %d uses up no versions of the others',
  async (version) => {
    const trust = trustOf('panel-a', 'a')
    await trust.tellTrust()
    held.set('host-one', { version, panels: [panel('panel-a')], forgotten: [] })
    expect(await trust.trustPanel(panel('panel-b'))).toEqual({
      ...{ version: 2, told: ['two'], waiting: ['one'] },
    })
    expect(await trust.removePanel('panel-b')).toMatchObject({ version: 3, told: ['two'] })
    expect(idsAt('two')).toEqual(['panel-a'])
  },
)

it('a machine that says again and again that it is ahead shuts out none that is away', async () => {
  const trust = trustOf('panel-a', 'a')
  await trust.tellTrust()
  const away = held.get('host-two') ?? null
  held.set('host-two', null)
  const lie = (version: number) =>
    held.set('host-one', { version: version + 9000, panels: [], forgotten: [] })
  lie(2)
  await trust.trustPanel(panel('panel-b'))
  for (let tells = 0; tells < 20; tells += 1) {
    lie((await opened.store.trustList()).version)
    await trust.tellTrust()
  }
  expect((await opened.store.trustList()).version).toBeLessThan(10_000)
  held.set('host-two', away)
  expect(await trust.tellTrust()).toMatchObject({ told: ['two'], waiting: ['one'] })
  expect(idsAt('two')).toEqual(['panel-a', 'panel-b'])
})

it('a machine that was away while versions went far ahead comes to the list in steps', async () => {
  const trust = trustOf('panel-a', 'a')
  await trust.tellTrust()
  await opened.store.raiseTrustVersion(3 * MOST_TRUST_STEP)
  expect(await trust.tellTrust()).toMatchObject({ told: ['one', 'two'], waiting: [] })
  expect(held.get('host-two')?.version).toBe(3 * MOST_TRUST_STEP + 1)
})

it('whom root at a machine forgot stays out there, and nothing is told again and again', async () => {
  const trust = trustOf('panel-a', 'a')
  await trust.tellTrust()
  held.set('host-one', { version: 1, panels: [panel('panel-a')], forgotten: ['panel-b'] })
  expect(await trust.trustPanel(panel('panel-b'))).toMatchObject({ told: ['one', 'two'] })
  expect(idsAt('one')).toEqual(['panel-a'])
  told = []
  await trust.tellTrust()
  expect(told).toEqual([])
})

it('a panel that is alone with its records, on a machine that they were brought to, is the only one', async () => {
  await trustOf('panel-old').trustOwn()
  await trustOf('panel-a').trustOwn()
  expect((await opened.store.trustList()).panels.map(({ id }) => id)).toEqual(['panel-a'])
})
