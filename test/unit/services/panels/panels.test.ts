import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openStore } from '#adapters/node/store/open-store.ts'
import { parsePanelToken } from '#handlers/domain/hosts/panel-token.ts'
import { createPanels } from '#handlers/services/hosts/panels.ts'
import { createFakeClock } from '#test/fakes/fake-clock.ts'

const directory = mkdtempSync(join(tmpdir(), 'berth-panels-'))
const clock = createFakeClock()
const link = { id: 'panel-2', certificate: 'PEM', key: 'A'.repeat(43) }
const bundle = {
  ...{ version: '1.0.0', store: 'postgres://berth@/berth', store_password: null, store_ca: null },
  ...{ session_key: 'secret of sessions', settings: {} },
}
let fingerprint: string | null = 'ab'.repeat(32)
const trusted: string[] = []
let opened: Awaited<ReturnType<typeof openStore>>
let panels: ReturnType<typeof createPanels>
beforeAll(async () => {
  opened = await openStore(join(directory, 'panel.db'))
  panels = createPanels({
    ...{ store: opened.store, clock, instance: 'one' },
    handover: { version: '1.0.0', fingerprint: () => fingerprint, bundle: () => bundle },
    trust: {
      trustPanel({ id }) {
        trusted.push(id)
        return Promise.resolve({ version: 1, told: [], waiting: [] })
      },
    },
  })
})
afterAll(() => {
  opened.close()
  rmSync(directory, { recursive: true, force: true })
})
const secretOf = (token: string): string => parsePanelToken(token)?.secret ?? ''

test('a token counts once, for a panel of the same version, and hosts obey who used it', async () => {
  const { token } = await panels.invite('192.0.2.2:7070')
  const given = { secret: secretOf(token), version: '1.0.0', link }
  await expect(panels.join({ ...given, version: '0.9.0' })).rejects.toMatchObject({ status: 409 })
  // A stranger learns nothing of the version.
  await expect(
    panels.join({ secret: 'A'.repeat(43), version: '0.9.0', link }),
  ).rejects.toMatchObject({ status: 401 })
  expect(trusted).toEqual([])
  const all = await Promise.allSettled([1, 2, 3].map(() => panels.join(given)))
  expect(all.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected', 'rejected'])
  expect(trusted).toEqual(['panel-2'])
  await expect(panels.join(given)).rejects.toMatchObject({ status: 401 })
})

test('a token counts for fifteen minutes, and a panel without TLS gives none', async () => {
  const { token } = await panels.invite('192.0.2.2:7070')
  clock.advanceSecs(15 * 60)
  await expect(
    panels.join({ secret: secretOf(token), version: '1.0.0', link }),
  ).rejects.toMatchObject({ status: 401 })
  fingerprint = null
  await expect(panels.invite('192.0.2.2:7070')).rejects.toMatchObject({ status: 409 })
})

test('instances are listed with what they said of themselves', async () => {
  const { store } = opened
  await store.beat('one', { name: 'first.example', version: '1.0.0', besideHost: true })
  await store.beat('two', { name: 'second.example', version: '1.0.0', besideHost: false })
  const { panels: listed } = await panels.list()
  expect(listed).toMatchObject([
    { id: 'one', name: 'first.example', own: true, alive: true },
    { id: 'two', name: 'second.example', own: false, alive: true },
  ])
  expect(await store.livingInstances(30_000, { besideHost: true })).toEqual(['one'])
})
