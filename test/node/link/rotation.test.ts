import type { ChildProcess } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openPanelIdentity } from '#adapters/node/link-trust/panel-identity.ts'
import { readTrust } from '#adapters/node/link-trust/trust-file.ts'
import { createHostLinks } from '#adapters/node/panel/hosts/host-links.ts'
import { openStore } from '#adapters/node/store/open-store.ts'
import { timestamp } from '#handlers/domain/text/timestamp.ts'
import type { HostLinks } from '#handlers/ports/host-links.ts'
import type { HostRow } from '#handlers/ports/store/host-store.ts'
import { createRotation } from '#handlers/services/hosts/rotation.ts'
import { createTrust } from '#handlers/services/hosts/trust.ts'
import { createRecordingLog } from '#test/fakes/recording-log.ts'
import { waitFor } from '#test/support/waiting/wait-for.ts'
import { createLinkInstance } from './link-instance.ts'
import type { LinkInstance, TestPanel } from './link-instance.ts'

const DAY_MS = 86_400_000
let host: LinkInstance
let directory: string
let keysAt: string
let opened: Awaited<ReturnType<typeof openStore>>
let nowMs = Date.now()
let links: HostLinks
let linkProcess: ChildProcess
let first: TestPanel

/** The panel as it is after it was started anew, with a clock that is moved at will. */
const panel = () => {
  links = createHostLinks(keysAt)
  const { store } = opened
  const deps = { store, clock: { nowMs: () => nowMs }, hostLinks: links, log: createRecordingLog() }
  const trust = createTrust(deps)
  return { trust, rotation: createRotation({ ...deps, trust }) }
}
const row = async (): Promise<HostRow & { certificate: string }> => {
  const found = await opened.store.hostByName('two')
  const certificate = found?.certificate ?? null
  if (found === null || certificate === null) throw new Error('it has joined')
  return { ...found, certificate }
}
const identity = async (directoryOfKeys: string): Promise<TestPanel> => {
  const { entry, tls, signingKey } = await openPanelIdentity(directoryOfKeys)
  return { entry, tls, key: signingKey }
}
const idsThere = () => readTrust(host.directory)?.list.panels.map(({ id }) => id)
const keyIds = async () => (await links.keys()).map(({ id }) => id)
const asks = async () => (await (await links.reach(await row())).system.info()).disk_total_mb
const startLink = async () => {
  linkProcess = (await host.startLink()).child
}
const stopLink = async () => {
  const ended = new Promise((resolve) => linkProcess.once('exit', resolve))
  linkProcess.kill('SIGKILL')
  await ended
}

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'berth-rotation-'))
  keysAt = join(directory, 'link')
  opened = await openStore(join(directory, 'panel.db'))
  first = await identity(keysAt)
  host = await createLinkInstance()
  host.trust([first])
  expect((await host.agent.start()).said).toEqual({ type: 'ready' })
  await startLink()
  const made = await opened.store.insertHost({
    ...{ name: 'two', role: 'host', address: `127.0.0.1:${host.port}`, link_id: 'host-1' },
    ...{ certificate: null, next_certificate: null, join_key: 'key', join_until_secs: 0 },
    ...{ state: 'joining', seen_secs: null, misses: 0, disk_free_percent: null, weight: 1 },
    ...{ php_versions: '[]', trust_version: 0, created_at: timestamp(nowMs) },
  })
  if (made === 'duplicate') throw new Error('it is new')
  await opened.store.openHost(made.id, 'key', host.own.certificate)
  await panel().trust.tellTrust()
})
afterAll(async () => {
  await host?.dispose()
  await opened?.close()
  rmSync(directory, { recursive: true, force: true })
})

it('keys of ninety days are changed by themselves, and the former ones end a day later', async () => {
  const { trust, rotation } = panel()
  const { id } = first.entry
  await rotation.rotateOwnKeys()
  expect(await keyIds()).toEqual([id])
  nowMs += 90 * DAY_MS
  await rotation.rotateOwnKeys()
  expect(await trust.tellTrust()).toMatchObject({ told: ['two'], waiting: [] })
  expect(idsThere()).toEqual([id, `${id}-2`])
  await asks()
  await host.clientOf(await identity(keysAt)).system.info()
  await host.clientOf(first).system.info()
  await rotation.rotateOwnKeys()
  expect(idsThere()).toHaveLength(2)

  nowMs += DAY_MS
  await rotation.rotateOwnKeys()
  await trust.tellTrust()
  await rotation.rotateOwnKeys()
  expect([idsThere(), await keyIds()]).toEqual([[`${id}-2`], [`${id}-2`]])
  await asks()
  await expect(host.clientOf(first).system.info()).rejects.toThrow()
  expect(await trust.panels()).toMatchObject([{ id: `${id}-2`, own: true }])
})

it('a machine that was away from the first step to the last takes the change when it is back', async () => {
  const [before = ''] = await keyIds()
  await stopLink()
  const { trust, rotation } = panel()
  expect(await rotation.rotateKeys({ atOnce: false })).toMatchObject({ waiting: ['two'] })
  nowMs += DAY_MS
  await rotation.rotateOwnKeys()
  await trust.tellTrust()
  const [now = '', ...former] = await keyIds()
  expect((await opened.store.trustList()).panels.map(({ id }) => id)).toEqual([now])
  // Nobody else's word counts there.
  expect(former).toEqual([before])
  // The panel was started anew meanwhile, too.
  const later = panel()
  await startLink()
  expect(await later.trust.tellTrust()).toMatchObject({ told: ['two'] })
  expect(idsThere()).toEqual([now])
  await asks()
  await later.rotation.rotateOwnKeys()
  expect(await keyIds()).toEqual([now])
})

it('whatever step the panel was cut off at, the next call goes on', async () => {
  const [before = ''] = await keyIds()
  const cut = panel()
  // New keys lie here, and nobody has heard of them.
  const { id: next, certificate, key } = await links.prepareKeys()
  await asks()
  // They are in the list, and it was not noted here that they are.
  const named = { id: next, certificate, key, created_at: timestamp(nowMs) }
  await opened.store.addLinkPanel(named, { after: [before] })
  expect((await cut.trust.panels()).map(({ id }) => id)).toEqual([before, next])
  await links.tell({ ...(await row()), role: 'host' }, await opened.store.trustList())
  expect(idsThere()).toEqual([before, next])
  await asks()
  const again = panel()
  await again.rotation.rotateOwnKeys()
  expect((await links.keys())[0]).toMatchObject({ id: next, since: expect.any(Number) as number })
  await asks()

  // The machine took the list without the former ones, and its answer was lost.
  nowMs += DAY_MS
  await again.rotation.rotateOwnKeys()
  const list = await opened.store.trustList()
  await links.tell({ ...(await row()), role: 'host' }, list)
  expect(idsThere()).toEqual([next])
  const stale = panel()
  expect(await keyIds()).toEqual([next, before])
  // The records say that it knows the former ones alone.
  await expect(asks()).rejects.toMatchObject({ status: 503 })
  await links.probe(await row())
  expect(await asks()).toBeGreaterThan(0)
  await stale.trust.tellTrust()
  await stale.rotation.rotateOwnKeys()
  expect(await keyIds()).toEqual([next])
})

it('keys that were stolen end at once, for calls and for lists', async () => {
  const stolen = join(directory, 'stolen')
  cpSync(keysAt, stolen, { recursive: true })
  const thief = createHostLinks(stolen)
  const before = await identity(stolen)
  const { rotation } = panel()
  const done = await rotation.rotateKeys({ atOnce: true })
  expect(done).toMatchObject({ former: [before.entry.id], told: ['two'], waiting: [] })
  expect(idsThere()).toEqual([done.id])
  await expect(host.clientOf(before).system.info()).rejects.toThrow()
  const alone = { version: 5000, panels: [before.entry] }
  await expect(thief.tell({ ...(await row()), role: 'host' }, alone)).rejects.toThrow()
  expect(idsThere()).toEqual([done.id])
  await asks()
})

it('a panel that was removed does not come back by new keys, and none is removed by half', async () => {
  const { trust, rotation } = panel()
  const other = await identity(join(directory, 'other'))
  await trust.trustPanel(other.entry)
  const later = { ...other.entry, id: `${other.entry.id}-2` }
  await opened.store.addLinkPanel({ ...later, created_at: timestamp(nowMs) })
  await trust.removePanel(later.id)
  const after = [other.entry.id]
  const again = { ...later, created_at: timestamp(nowMs) }
  expect(await opened.store.addLinkPanel(again, { after })).toBe('refused')
  const own = (await keyIds())[0] ?? ''
  expect((await trust.panels()).map(({ id }) => id)).toEqual([own])
  await expect(trust.removePanel(own)).rejects.toMatchObject({ status: 409 })
  await rotation.rotateOwnKeys()
})

it('records of before the last change name the keys that this panel has now', async () => {
  const [own = ''] = await keyIds()
  const copy = await openStore(join(directory, 'older.db'))
  const former = { ...first.entry, created_at: timestamp(nowMs) }
  await copy.store.addLinkPanel(former)
  const deps = { store: copy.store, clock: { nowMs: () => nowMs }, hostLinks: links }
  await createTrust({ ...deps, log: createRecordingLog(), instance: 'a' }).trustOwn()
  expect((await copy.store.trustList()).panels.map(({ id }) => id)).toEqual([own])
  await copy.close()
})

it('a certificate is changed over the running session, and the former one counts no more', async () => {
  const { rotation } = panel()
  const before = (await row()).certificate
  await asks()
  await rotation.rotateCertificate('two')
  const after = await row()
  expect(after.certificate).not.toBe(before)
  expect(after.next_certificate).toBeNull()
  await asks()
  // Who still takes the former one alone does not get through.
  const own = await identity(keysAt)
  await expect(
    host.fetchAs(own, before).send(new Request('https://host/session', { method: 'POST' })),
  ).rejects.toThrow()
  await rotation.rotateCertificates()
  expect((await row()).certificate).toBe(after.certificate)
  nowMs += 400 * DAY_MS
  await rotation.rotateCertificates()
  expect((await row()).certificate).not.toBe(after.certificate)
  await asks()
  await expect(rotation.rotateCertificate('three')).rejects.toMatchObject({ status: 404 })
  await expect(rotation.rotateCertificate('local')).rejects.toMatchObject({ status: 409 })
})

it('a change of a certificate that was cut off goes on, and a lost one is made anew', async () => {
  const { store } = opened
  const { rotation } = panel()
  const { id, certificate: before } = await row()
  const next = await links.prepareCertificate(await row())
  expect(await links.prepareCertificate(await row())).toBe(next)
  expect(await store.nextCertificate(id, before, next)).toBe(true)
  expect(await store.nextCertificate(id, before, 'another')).toBe(false)
  await asks()
  // It shows the new one, which was not noted yet.
  await links.useCertificate({ ...(await row()), next_certificate: next })
  await asks()
  await panel().rotation.rotateCertificates()
  expect(await row()).toMatchObject({ certificate: next, next_certificate: null })

  await store.nextCertificate(id, next, before)
  await rotation.rotateCertificates()
  expect(await row()).toMatchObject({ certificate: next, next_certificate: null })
  await waitFor(async () => expect(await asks()).toBeGreaterThan(0))
})
