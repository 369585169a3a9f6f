import { beforeAll, expect, test } from 'vitest'
import type { MakeApiInstance } from '../frame/api-instance.ts'
import { accountClient, createAccount } from '../frame/api-instance.ts'
import { apiGroup } from '../frame/api-suite.ts'

interface Order {
  domain: string
  state: string
  records: { type: string; name: string; value: string; shown: boolean | null }[]
  error: string | null
}

const ORDERS = '/api/ssl/orders'
const ALICE = `${ORDERS}/alice.example`

/** Certificates whose names are proved by records that are set by hand. */
export const waitingOrdersContract = (makeInstance: MakeApiInstance): void => {
  apiGroup('orders that wait', makeInstance, (shared) => {
    const host = () => shared.instance.host.certificates
    const begin = (domain = 'alice.example') => shared.admin.post(ORDERS, { domain })
    const look = async () => (await shared.admin.get(ALICE)).body.data as Order
    const set = ({ records }: Order): void => {
      for (const { name, value } of records)
        host().texts.set(name, [...(host().texts.get(name) ?? []), value])
    }
    beforeAll(async () => {
      await createAccount(shared.admin, 'alice')
      await createAccount(shared.admin, 'bob')
      for (const name of ['refused', 'down', 'liar'])
        await shared.admin.post('/api/domains', {
          ...{ account_id: 1, domain_name: `${name}.alice.example`, domain_type: 'subdomain' },
          document_root: `/home/alice/${name}`,
        })
    })

    test('the records are told, and one that waits is answered as it is', async () => {
      const { status, body } = await begin()
      expect(status).toBe(200)
      const order = body.data as Order
      expect(order).toMatchObject({
        ...{ domain: 'alice.example', account_id: 1, state: 'waiting', error: null, left_out: [] },
        names: ['alice.example', 'www.alice.example'],
      })
      expect(order.records).toEqual(
        ['alice.example', 'www.alice.example'].map((name) => ({
          ...{ type: 'TXT', name: `_acme-challenge.${name}`, shown: false },
          value: expect.any(String),
        })),
      )
      expect((await begin('www.alice.example')).body.data).toEqual(order)
      expect(await look()).toEqual(order)
      const list = (await shared.admin.get(ORDERS)).body.data as Order[]
      expect(list).toMatchObject([{ domain: 'alice.example', records: [{ shown: null }, {}] }])
    })

    test('it goes on once all records are shown, not before', async () => {
      const early = await shared.admin.post(`${ALICE}/finish`)
      expect(early).toMatchObject({ status: 409, body: { error: expect.stringMatching(/_acme-/) } })
      const order = await look()
      set({ ...order, records: order.records.slice(1) })
      expect((await look()).records.map(({ shown }) => shown)).toEqual([false, true])
      expect((await shared.admin.post(`${ALICE}/finish`)).status).toBe(409)
      set(order)
      expect((await look()).state).toBe('ready')
      const done = await shared.admin.post(`${ALICE}/finish`)
      expect(done).toMatchObject({
        status: 200,
        body: { data: { challenge: 'by-hand', renews_at: null, renewal_due: false, left_out: [] } },
      })
      expect((await shared.admin.get(ALICE)).status).toBe(404)
      expect((await shared.admin.post(`${ALICE}/finish`)).status).toBe(404)
      expect((await shared.admin.get('/api/domains')).body.data).toMatchObject(
        expect.arrayContaining([
          expect.objectContaining({ domain_name: 'alice.example', ssl_status: 'active' }),
        ]),
      )
      const log = async () => JSON.stringify((await shared.admin.get('/api/audit?limit=5')).body)
      await expect.poll(log).toContain('POST /api/ssl/orders/:domain/finish')
    })

    test('such a certificate is renewed by nobody but its owner', async () => {
      const renewed = await shared.admin.get('/api/ssl/renew/alice.example')
      expect(renewed).toMatchObject({
        status: 409,
        body: { error: expect.stringMatching(/set by hand/) },
      })
      const { body } = await shared.admin.post('/api/ssl/auto-renew')
      expect(body.data).toMatchObject({ renewed: [], errors: [] })
    })

    test('what the authority refuses is told, and one of which nothing comes is begun anew', async () => {
      expect((await begin('refused.alice.example')).status).toBe(400)
      expect((await begin('down.alice.example')).status).toBe(503)
      const liar = `${ORDERS}/liar.alice.example`
      set((await begin('liar.alice.example')).body.data as Order)
      expect((await shared.admin.post(`${liar}/finish`)).status).toBe(400)
      const failed = (await shared.admin.get(liar)).body.data as Order
      expect(failed).toMatchObject({ state: 'failed', error: expect.stringMatching(/authority/) })
      expect((await shared.admin.post(`${liar}/finish`)).status).toBe(409)
      const anew = (await begin('liar.alice.example')).body.data as Order
      expect([anew.state, anew.records[0]?.value === failed.records[0]?.value]).toEqual([
        'waiting',
        false,
      ])
      expect((await shared.admin.del(liar)).body.data).toEqual({
        domain: 'liar.alice.example',
        deleted: true,
      })
      expect((await shared.admin.del(liar)).status).toBe(404)
    })

    test('an owner has his own, and nobody the panel’s', async () => {
      const alice = await accountClient(shared.instance, 'alice')
      const bob = await accountClient(shared.instance, 'bob')
      expect((await alice.post(ORDERS, { domain: 'alice.example' })).status).toBe(200)
      expect((await alice.get(ORDERS)).body.data).toHaveLength(1)
      expect((await bob.get(ORDERS)).body.data).toEqual([])
      for (const answer of [
        await bob.post(ORDERS, { domain: 'alice.example' }),
        await bob.get(ALICE),
        await bob.post(`${ALICE}/finish`),
        await bob.del(ALICE),
      ])
        expect(answer.status).toBe(404)
      host().ownName = 'panel.example'
      const panels = { domain: 'panel.example' }
      expect((await alice.post(ORDERS, panels)).status).toBe(403)
      expect((await shared.admin.post(ORDERS, panels)).body.data).toMatchObject({
        ...{ account_id: null, names: ['panel.example'] },
      })
      expect((await alice.get(ORDERS)).body.data).toHaveLength(1)
      expect((await shared.admin.get(ORDERS)).body.data).toHaveLength(2)
    })
  })
}
