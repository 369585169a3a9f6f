import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createHostLinks } from '#adapters/node/panel/hosts/host-links.ts'
import { openPanelIdentity } from '#adapters/node/link-trust/panel-identity.ts'
import { createLinkInstance, createTestPanel } from './link-instance.ts'
import type { LinkInstance, TestPanel } from './link-instance.ts'

let host: LinkInstance
let directory: string
let own: TestPanel
let other: TestPanel
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'berth-told-'))
  const { entry, tls, signingKey } = await openPanelIdentity(directory)
  own = { entry, tls, key: signingKey }
  other = await createTestPanel('panel-2')
  host = await createLinkInstance()
  host.trust([own])
  expect((await host.agent.start()).said).toEqual({ type: 'ready' })
  await host.startLink()
})
afterAll(async () => {
  await host.dispose()
  rmSync(directory, { recursive: true, force: true })
})

it('a host takes the list that a panel tells it, obeys who is in it, and says what it has instead of an older one', async () => {
  const at = {
    ...({ link_id: 'host-1', role: 'host', address: `127.0.0.1:${host.port}` } as const),
    certificate: host.own.certificate,
    ...{ next_certificate: null, trust_version: 0 },
  }
  const links = createHostLinks(directory)
  const shown = ({ entry }: TestPanel) => ({ id: entry.id, key: entry.key })
  await expect(host.clientOf(other).system.info()).rejects.toThrow()
  const both = { version: 5, panels: [shown(own), shown(other)], forgotten: [] }
  expect(await links.tell(at, { version: 5, panels: [own.entry, other.entry] })).toEqual(both)
  await host.clientOf(other).system.info()
  for (const version of [4, 5])
    expect(await links.tell(at, { version, panels: [own.entry] })).toEqual(both)
  expect(await links.tell(at, { version: 6, panels: [own.entry] })).toEqual({
    ...{ version: 6, panels: [shown(own)], forgotten: [] },
  })
  await expect(host.clientOf(other).system.info()).rejects.toThrow()
  expect((await (await links.reach(at)).system.info()).disk_total_mb).toBeGreaterThan(0)
})
