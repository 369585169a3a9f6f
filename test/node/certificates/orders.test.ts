import { X509Certificate } from 'node:crypto'
import { readdir, readFile, stat } from 'node:fs/promises'
import { createServer } from 'node:net'
import { once } from 'node:events'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { converse } from '#adapters/node/agent/certificates/acme-transport.ts'
import { get } from '#test/node/web-server/support/get.ts'
import { freePorts } from '#test/support/free-ports.ts'
import { createCertificatesFixture } from './certificates-fixture.ts'
import type { CertificatesFixture, SiteOwner } from './certificates-fixture.ts'

interface Data {
  serial: string
  san: string[]
  status: string
  last_error: string | null
  expires_at: string
  files: Record<'certificate' | 'key' | 'chain', string>
  left_out: { name: string; reason: string }[]
}

let fixture: CertificatesFixture
let site: SiteOwner
beforeAll(async () => {
  fixture = await createCertificatesFixture()
  site = await fixture.account()
})
afterAll(() => fixture.dispose())

const provision = (domain: string, change: Record<string, unknown> = {}) =>
  fixture.admin.post('/api/ssl/provision', { domain, ...change })
const certificateOf = async (domain: string): Promise<Data> =>
  (await fixture.admin.get(`/api/ssl/certificate/${domain}`)).body.data as Data
const versionsOf = (domain: string): Promise<string[]> =>
  readdir(join(fixture.sslDirectory, domain)).catch(() => [])

describe('orders', () => {
  it('obtains a certificate for all names of the site and serves it', async () => {
    const before = await fixture.shown(site.domain)
    expect(before.trusted).toBe(false)
    const lost = `lost.${site.domain}`
    await fixture.admin.post('/api/domains', {
      account_id: site.id,
      domain_name: lost,
      domain_type: 'alias',
      document_root: `${site.home}/public_html`,
    })
    await fixture.moveAway(lost)
    const answer = await provision(site.domain, { webroot: `${site.home}/public_html` })
    expect(answer.body).toMatchObject({ ok: true })
    const { san, left_out, files } = answer.body.data as Data
    expect([...san].sort()).toEqual([site.domain, `www.${site.domain}`].sort())
    expect(left_out).toEqual([{ name: lost, reason: expect.stringContaining('Nothing answers') }])

    for (const name of [site.domain, `www.${site.domain}`]) {
      const shown = await fixture.shown(name)
      expect(shown.trusted).toBe(true)
      expect(shown.asn1Curve).toBe('prime256v1')
    }
    for (const file of Object.values(files)) {
      const { mode, uid } = await stat(file)
      expect([mode & 0o777, uid]).toEqual([0o640, 0])
    }
    expect(new X509Certificate(await readFile(files.certificate)).subjectAltName).toContain(
      site.domain,
    )
    // What was published for the authority is gone again.
    const left = await readdir(join(site.home, 'public_html/.well-known/acme-challenge'))
    expect(left).toEqual([])
  })

  it('uses one account key for all orders, which is root’s alone', async () => {
    const names = await readdir(fixture.accountDir)
    expect(names).toHaveLength(1)
    const file = join(fixture.accountDir, names[0] ?? '')
    const { mode, uid } = await stat(file)
    expect([mode & 0o777, uid, (await stat(fixture.accountDir)).mode & 0o777]).toEqual([
      0o600, 0, 0o700,
    ])
    const before = await readFile(file, 'utf8')
    expect((await fixture.admin.get(`/api/ssl/renew/${site.domain}`)).status).toBe(200)
    expect(await readdir(fixture.accountDir)).toEqual(names)
    expect(await readFile(file, 'utf8')).toBe(before)
    const created = fixture.pebble.output().match(/There are now \d+ accounts in memory/g) ?? []
    expect(new Set(created)).toEqual(new Set(['There are now 1 accounts in memory']))
  })

  it('renews: the new pair is served, the old one is gone', async () => {
    const before = await certificateOf(site.domain)
    const answer = await fixture.admin.get(`/api/ssl/renew/${site.domain}`)
    const { serial, files } = answer.body.data as Data
    expect(serial).not.toBe(before.serial)
    const shown = await fixture.shown(site.domain)
    expect([shown.serialNumber, shown.trusted]).toEqual([serial, true])
    expect(await versionsOf(site.domain)).toHaveLength(1)
    await expect(stat(before.files.key)).rejects.toMatchObject({ code: 'ENOENT' })
    expect((await stat(files.key)).isFile()).toBe(true)
  })

  it('answers challenges while the site is closed, or leads to https', async () => {
    const owner = await fixture.account()
    expect((await provision(owner.domain, { redirect_https: true })).status).toBe(200)
    const redirected = await get(fixture.web.port, owner.domain, '/')
    expect(redirected.status).toBe(301)
    const renew = async () => (await fixture.admin.get(`/api/ssl/renew/${owner.domain}`)).status
    expect(await renew()).toBe(200)
    await fixture.admin.post(`/api/accounts/${owner.id}/suspend`, {})
    expect((await get(fixture.web.port, owner.domain, '/')).status).toBe(503)
    expect(await renew()).toBe(200)
  })

  it('says why a name could not be proved, and leaves everything as it was', async () => {
    const owner = await fixture.account()
    await fixture.moveAway(owner.domain)
    const checked = await provision(owner.domain)
    expect([checked.status, checked.body.error]).toEqual([
      400,
      expect.stringContaining(`Nothing answers at ${owner.domain}`),
    ])
    const ordered = await provision(owner.domain, { force: true })
    expect([ordered.status, ordered.headers.get('x-error-field')]).toEqual([400, 'domain'])
    expect(ordered.body.error).toContain('The certificate authority says')
    expect(await versionsOf(owner.domain)).toEqual([])
    expect((await fixture.admin.get(`/api/ssl/certificate/${owner.domain}`)).status).toBe(404)
    expect((await fixture.shown(owner.domain)).trusted).toBe(false)
    expect(await fixture.api.store.openOperations()).toEqual([])
  })

  it('a forced order leaves out an alias that the authority cannot reach', async () => {
    const owner = await fixture.account()
    await fixture.moveAway(`www.${owner.domain}`)
    const { body } = await provision(owner.domain, { force: true })
    expect(body.data).toMatchObject({
      san: [owner.domain],
      left_out: [{ name: `www.${owner.domain}` }],
    })
  })

  it('a removed certificate, domain or account leaves no file', async () => {
    const owner = await fixture.account()
    expect((await provision(owner.domain)).status).toBe(200)
    expect((await fixture.admin.del(`/api/ssl/certificate/${owner.domain}`)).status).toBe(200)
    expect(await versionsOf(owner.domain)).toEqual([])
    expect((await fixture.shown(owner.domain)).trusted).toBe(false)
    expect((await provision(owner.domain)).status).toBe(200)
    expect((await fixture.admin.del(`/api/accounts/${owner.id}`, {})).status).toBe(200)
    expect(await readdir(fixture.sslDirectory)).not.toContain(owner.domain)
    expect(fixture.agent.registry.certificate(owner.domain)).toBeNull()
  })
})

describe('the authority', () => {
  const issueWith = async (panel: Parameters<CertificatesFixture['certificatesWith']>[0]) => {
    const owner = await fixture.account()
    const { username, domain } = owner
    const started = performance.now()
    const error = await fixture
      .certificatesWith(panel)
      .issue({
        operationId: `op-${domain}`,
        username,
        domain,
        names: [domain],
        by_dns: [],
        replaces: null,
        webroot: null,
      })
      .then(
        () => null,
        (failure: unknown) => failure as { status: number; message: string },
      )
    expect(performance.now() - started).toBeLessThan(30_000)
    expect(await versionsOf(domain)).toEqual([])
    return error
  }

  it('that is not trusted is named, and what to do', async () => {
    const error = await issueWith({ acme_ca_file: null })
    expect(error).toMatchObject({ status: 503 })
    expect(error?.message).toContain('acme_ca_file')
  })

  it('that cannot be reached is 503', async () => {
    const [port = 0] = await freePorts(1)
    const error = await issueWith({ acme_directory: `https://localhost:${port}/dir` })
    expect(error).toMatchObject({ status: 503 })
    expect(error?.message).toContain('ECONNREFUSED')
  })

  it('that says nothing is given up', async () => {
    const silent = createServer(() => undefined)
    silent.listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const { port } = silent.address() as { port: number }
    try {
      const error = await issueWith({ acme_directory: `https://127.0.0.1:${port}/dir` })
      expect(error).toMatchObject({ status: 503 })
      expect(error?.message).toContain('cannot be reached (no answer)')
    } finally {
      silent.close()
    }
  })

  it('is given a time for the whole order', async () => {
    const never = new Promise<never>(() => undefined)
    await expect(converse(null, 50, () => never)).rejects.toMatchObject({ status: 503 })
  })

  it('wants an address: without acme_email the key is named', async () => {
    const { username, domain } = await fixture.account()
    const order = { username, domain, names: [domain], webroot: null }
    await expect(
      fixture
        .certificatesWith({ acme_email: null })
        .prepare({ ...order, force: true, challenge: null }),
    ).rejects.toMatchObject({ status: 400, message: expect.stringContaining('acme_email') })
  })
})
