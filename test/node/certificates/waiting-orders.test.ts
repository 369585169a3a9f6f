import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  createCertificatesFixture,
  ZONE,
  type CertificatesFixture,
  type SiteOwner,
} from './certificates-fixture.ts'

interface Order {
  state: string
  records: { name: string; value: string; shown: boolean | null }[]
  error: string | null
}

/** Where a proof lies whose own zone nobody changes. */
const PROOFS = 'proofs.example'

let fixture: CertificatesFixture
let owner: SiteOwner
beforeAll(async () => {
  fixture = await createCertificatesFixture({ zone: [], zones: { [PROOFS]: [] } })
  owner = await fixture.account()
}, 60_000)
afterAll(() => fixture?.dispose())

const path = (of = owner) => `/api/ssl/orders/${of.domain}`
const begin = async (of = owner): Promise<Order> => {
  const answer = await fixture.admin.post('/api/ssl/orders', { domain: of.domain })
  expect(answer).toMatchObject({ status: 200 })
  return answer.body.data as Order
}
const look = async (of = owner) => (await fixture.admin.get(path(of))).body.data as Order
/** As somebody sets them where the zone lies. */
const set = async ({ records }: Order): Promise<void> => {
  for (const name of new Set(records.map((one) => one.name))) {
    const values = records.filter((one) => one.name === name).map(({ value }) => value)
    await fixture.bind!.setTexts(name, values)
  }
}
const fileOf = (of = owner) => join(fixture.ordersDirectory, `${of.domain}.json`)

describe('an order that waits', () => {
  it('tells the records, of a name and its wildcard, and keeps its key to itself', async () => {
    const wildcard = await fixture.admin.post('/api/domains', {
      ...{ account_id: owner.id, domain_name: `*.${owner.domain}`, domain_type: 'alias' },
      document_root: `${owner.home}/public_html`,
    })
    expect(wildcard.status).toBe(200)
    const order = await begin()
    expect(order.state).toBe('waiting')
    expect(order.records.map(({ name }) => name).toSorted()).toEqual([
      `_acme-challenge.${owner.domain}`,
      `_acme-challenge.${owner.domain}`,
      `_acme-challenge.www.${owner.domain}`,
    ])
    expect((await stat(fileOf())).mode & 0o777).toBe(0o600)
    expect(await readFile(fileOf(), 'utf8')).toContain('PRIVATE KEY')
    expect(JSON.stringify([order, await look()])).not.toContain('PRIVATE KEY')
  })

  it('is the same after a restart of the host, which goes on with it', async () => {
    const before = await look()
    const anew = fixture.certificatesWith()
    const { username, domain } = owner
    const { records } = await anew.lookAtOrder({ username, domain })
    expect(records.map((one) => ({ type: 'TXT', ...one }))).toEqual(before.records)
    expect(await begin()).toEqual(before)
  })

  it('waits while one record is missing or another stands there', async () => {
    const order = await look()
    await set({ ...order, records: order.records.slice(1) })
    const [{ name, value } = { name: '', value: '' }] = order.records
    const refused = await fixture.admin.post(`${path()}/finish`)
    expect(refused.status).toBe(409)
    expect(refused.body.error).toContain(`${name} TXT "${value}"`)
    expect(await fixture.api.app.goOnWithOrders()).toEqual({ renewed: [], errors: [] })
    expect((await look()).state).toBe('waiting')
  })

  it('goes on by itself once all are shown, and is over then', async () => {
    await set(await look())
    expect((await look()).state).toBe('ready')
    fixture.api.clock.advanceSecs(3600)
    expect(await fixture.api.app.goOnWithOrders()).toEqual({ renewed: [owner.domain], errors: [] })
    const shown = await fixture.shown(`anything.${owner.domain}`)
    expect(shown).toMatchObject({
      trusted: true,
      subjectaltname: expect.stringContaining(`DNS:*.${owner.domain}`),
    })
    expect((await fixture.admin.get(path())).status).toBe(404)
    expect(await readdir(fixture.ordersDirectory)).toEqual([])
    const kept = await fixture.admin.get(`/api/ssl/certificate/${owner.domain}`)
    expect(kept.body.data).toMatchObject({ challenge: 'by-hand', renews_at: null })
  })

  it('a certificate that the authority has made already is fetched after a crash', async () => {
    const order = await begin()
    await set(order)
    const { username, domain } = owner
    const subject = { username, domain }
    const first = await fixture.certificates.finishOrder({ ...subject, operationId: 'crashed' })
    // As if nobody had heard of it: the order stands, and is finished anew.
    const again = await fixture
      .certificatesWith()
      .finishOrder({ ...subject, operationId: 'after-crash' })
    expect(again.serial).toBe(first.serial)
    await fixture.certificates.dropOrder(subject)
  })

  it('follows a CNAME record to where its owner sets the text', async () => {
    const other = await fixture.account()
    await fixture.bind!.setAlias(`_acme-challenge.${other.domain}`, `there.${PROOFS}`)
    const order = await begin(other)
    expect(order.records.map(({ name }) => name).toSorted()).toEqual([
      `_acme-challenge.www.${other.domain}`,
      `there.${PROOFS}`,
    ])
    await set(order)
    const done = await fixture.admin.post(`${path(other)}/finish`)
    expect(done).toMatchObject({ status: 200, body: { data: { left_out: [] } } })
    expect((await fixture.shown(other.domain)).trusted).toBe(true)
  })

  it('that the authority knows no more is told as lost, and begun anew', async () => {
    const other = await fixture.account()
    const order = await begin(other)
    await set(order)
    const kept = JSON.parse(await readFile(fileOf(other), 'utf8')) as { url: string }
    const lost = { ...kept, url: `${kept.url}-gone` }
    await writeFile(fileOf(other), JSON.stringify(lost))
    const { errors } = await fixture.api.app.goOnWithOrders()
    expect(errors).toMatchObject([{ domain: other.domain }])
    expect(await look(other)).toMatchObject({
      state: 'failed',
      error: expect.stringContaining('authority says'),
    })
    expect(await fixture.api.app.goOnWithOrders()).toEqual({ renewed: [], errors: [] })
    expect((await begin(other)).state).toBe('waiting')
  })

  it('goes with its account', async () => {
    const other = await fixture.account()
    await begin(other)
    expect(await readdir(fixture.ordersDirectory)).toContain(`${other.domain}.json`)
    expect((await fixture.admin.del(`/api/accounts/${other.id}`, {})).status).toBe(200)
    expect(await readdir(fixture.ordersDirectory)).not.toContain(`${other.domain}.json`)
  })

  it('of a name that its DNS keeps from the authority is refused', async () => {
    await fixture.bind!.setCaa(owner.domain, '0 issue ";"')
    const answer = await fixture.admin.post('/api/ssl/orders', { domain: owner.domain })
    expect(answer.status).toBe(400)
    expect(answer.body.error).toContain('CAA')
    expect(owner.domain).toContain(ZONE)
  })
})
