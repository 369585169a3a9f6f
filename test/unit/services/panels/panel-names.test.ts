import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createPanelNames } from '#handlers/services/panel-names.ts'
import { openStore } from '#adapters/node/store/open-store.ts'
import { createFakeClock } from '#test/fakes/fake-clock.ts'
import { createRecordingLog } from '#test/fakes/recording-log.ts'

const directory = mkdtempSync(join(tmpdir(), 'berth-names-'))
let opened: Awaited<ReturnType<typeof openStore>>
const clock = createFakeClock()
const log = createRecordingLog()
beforeAll(async () => {
  opened = await openStore(join(directory, 'panel.db'))
})
afterAll(() => {
  opened.close()
  rmSync(directory, { recursive: true, force: true })
})

/** One instance of the panel, on a machine of this name. */
const instance = (...names: string[]) =>
  createPanelNames({ store: opened.store, clock, log }, names)

test('what browsers use at one instance is reserved at each, and free a week after', async () => {
  const [one, other] = [instance('one.machines.example'), instance('two.machines.example')]
  await other.assertFree('panel.example.com', 'domain', false)
  await one.seen('https://panel.example.com:7070')
  await expect(other.assertFree('panel.example.com', 'domain', true)).rejects.toThrow('is a name')
  await expect(other.assertFree('x.panel.example.com', 'domain', false)).rejects.toThrow('below')
  // An administrator may host the domain that the name belongs to.
  await other.assertFree('example.com', 'domain', true)
  // The machine's own name is noted beside.
  await expect(other.assertFree('one.machines.example', 'domain', true)).rejects.toThrow(
    'is a name',
  )
  await expect(one.assertFree('localhost', 'domain', true)).rejects.toThrow('is a name')
  clock.advanceSecs(8 * 86_400)
  await other.assertFree('panel.example.com', 'domain', true)
  await one.seen('https://panel.example.com:7070')
  await expect(other.assertFree('panel.example.com', 'domain', true)).rejects.toThrow('is a name')
})

test('names of hosts are reserved, their numbers are none', async () => {
  const row = {
    ...({
      role: 'host',
      certificate: null,
      next_certificate: null,
      join_key: null,
      join_until_secs: null,
    } as const),
    ...({ state: 'open', weight: 1, seen_secs: null, misses: 0, trust_version: 0 } as const),
    ...{ disk_free_percent: null, php_versions: '[]', created_at: '2026-01-01 00:00:00' },
  }
  const hosts = { a: 'Host-a.example.net:7071', b: '192.0.2.7:7071', c: '[2001:db8::7]:7071' }
  for (const [name, address] of Object.entries(hosts))
    await opened.store.insertHost({ ...row, name, address, link_id: name })
  const names = instance()
  await expect(names.assertFree('host-a.example.net', 'domain', true)).rejects.toThrow('is a name')
  await names.assertFree('host-b.example.net', 'domain', false)
})

test('records that cannot be written keep nobody out, and the name is reserved here', async () => {
  const store = { ...opened.store, notePanelName: () => Promise.reject(new Error('full')) }
  const names = createPanelNames({ store, clock, log }, [])
  await names.seen('https://other.example.org')
  await expect(names.assertFree('other.example.org', 'domain', true)).rejects.toThrow('is a name')
})
