import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { LOCAL_HOST } from '#handlers/ports/store/host-store.ts'
import type { HostRow } from '#handlers/ports/store/host-store.ts'
import { NOW } from '../store/store-rows.ts'
import type { StoreSubject } from '../store/store-subject.ts'

const row: Omit<HostRow, 'id'> = {
  ...{ name: 'two', role: 'host', address: '192.0.2.2:7072', link_id: 'host-2' },
  ...{
    certificate: null,
    next_certificate: null,
    join_key: 'key',
    join_until_secs: 1000,
    state: 'joining',
  },
  ...{ seen_secs: null, misses: 0, disk_free_percent: null, php_versions: '[]' },
  trust_version: 0,
  ...{ weight: 1, created_at: NOW },
}

/** Other machines, in every store. */
export const hostsStoreContract = (name: string, create: () => Promise<StoreSubject>): void => {
  describe(`hosts in ${name}`, () => {
    let subject: StoreSubject
    beforeAll(async () => {
      subject = await create()
    })
    afterAll(() => subject.dispose())

    test('are there by name, once each, and are opened once', async () => {
      const { store } = subject
      const made = await store.insertHost(row)
      if (made === 'duplicate') throw new Error('it is new')
      expect(made).toEqual({ ...row, id: made.id })
      expect(await store.insertHost({ ...row, link_id: 'host-3' })).toBe('duplicate')
      expect(await store.insertHost({ ...row, name: 'three' })).toBe('duplicate')
      const other = { ...row, name: 'one', link_id: 'host-1' }
      expect(await store.insertHost(other)).toMatchObject(other)
      expect((await store.listHosts()).map((host) => host.name)).toEqual(['local', 'one', 'two'])

      expect(await store.openHost(made.id, 'another', 'PEM')).toBeNull()
      const open = {
        ...made,
        state: 'open',
        certificate: 'PEM',
        join_key: null,
        join_until_secs: null,
      }
      const both = await Promise.all([
        store.openHost(made.id, 'key', 'PEM'),
        store.openHost(made.id, 'key', 'PEM'),
      ])
      expect(both.filter((host) => host !== null)).toEqual([open])
      expect(await store.hostByName('two')).toEqual(open)

      expect(await store.nextCertificate(made.id, 'other', 'NEXT')).toBe(false)
      const noted = await Promise.all(
        ['NEXT', 'LATE'].map((next) => store.nextCertificate(made.id, 'PEM', next)),
      )
      expect(noted.filter((isNoted) => isNoted)).toHaveLength(1)
      const next = noted[0] ? 'NEXT' : 'LATE'
      await store.settleCertificate(made.id, 'other', 'used')
      expect(await store.hostByName('two')).toEqual({ ...open, next_certificate: next })
      await store.settleCertificate(made.id, next, 'lost')
      expect(await store.hostByName('two')).toEqual(open)
      await store.nextCertificate(made.id, 'PEM', 'NEXT')
      await store.settleCertificate(made.id, 'NEXT', 'used')
      expect(await store.hostByName('two')).toEqual({ ...open, certificate: 'NEXT' })

      expect(await store.deleteHost(made.id)).toBe('gone')
      expect(await store.deleteHost(made.id)).toBe('absent')
      expect(await store.deleteHost(LOCAL_HOST)).toBe('in-use')
      expect(await store.hostByName('two')).toBeNull()
    })

    test('obey panels of one list, whose versions ascend', async () => {
      const { store } = subject
      const panel = (id: string) => ({
        id,
        certificate: `PEM ${id}`,
        key: `key ${id}`,
        created_at: NOW,
      })
      const ids = async () => {
        const { version, panels } = await store.trustList()
        return [version, ...panels.map(({ id }) => id)]
      }
      expect(await store.trustList()).toEqual({ version: 0, panels: [] })
      const first = await Promise.all(
        ['panel-b', 'panel-a'].map((id) => store.addLinkPanel(panel(id), { first: true })),
      )
      expect(first.sort()).toEqual(['added', 'refused'])
      const [, one = ''] = await ids()
      expect(await store.removeLinkPanels([String(one)])).toBe(false)
      expect(await store.addLinkPanel(panel('panel-c'))).toBe('added')
      expect(await store.addLinkPanel(panel('panel-c'))).toBe('known')
      expect(await store.addLinkPanel({ ...panel('panel-c'), key: 'other' })).toBe('refused')
      expect(await ids()).toEqual([2, one, 'panel-c'])
      await store.raiseTrustVersion(1)
      await store.raiseTrustVersion(7)
      expect(await store.removeLinkPanels([String(one), 'panel-d'])).toBe(true)
      expect(await store.removeLinkPanels(['panel-d'])).toBe(false)
      expect(await ids()).toEqual([9, 'panel-c'])
      expect((await store.trustList()).panels[0]).toEqual({ ...panel('panel-c'), since_version: 2 })
      for (let n = 2; n <= 16; n += 1)
        expect(await store.addLinkPanel(panel(`panel-${n}`))).toBe('added')
      expect(await store.addLinkPanel(panel('panel-17'))).toBe('refused')

      const made = await store.insertHost(row)
      if (made === 'duplicate') throw new Error('it is new')
      const machine = { host_id: made.id, certificate: 'PEM', address: '10.0.0.2:7443' }
      await store.putChannelMachine(machine)
      await store.putChannelMachine({ ...machine, address: null })
      await store.putChannelMachine({ ...machine, host_id: 0 })
      await store.deleteChannelMachine(0)
      expect(await store.listChannelMachines()).toEqual([{ ...machine, address: null }])
      await store.hostTrusts(made.id, 9)
      await store.hostTrusts(made.id, 8)
      expect(await store.hostById(made.id)).toMatchObject({ trust_version: 9 })
    })
  })
}
