import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { CertificatesPort } from '#handlers/ports/host/certificates.ts'
import { makeCertificate } from '#test/support/make-certificate.ts'

/** A port with a site that has an alias, and a second account. */
export interface CertificatesPortSubject {
  certificates: CertificatesPort
  username: string
  otherUsername: string
  /** Primary name of the first account's site; it leads here, and so does `alias`. */
  domain: string
  alias: string
  /** Another alias, which does not lead here. */
  lostAlias: string
  /** Stored versions of `domain`, sorted. */
  versions(): Promise<string[]>
  dispose(): Promise<void>
}

/** What every implementation of `CertificatesPort` keeps to. */
export const certificatesPortContract = (
  label: string,
  create: () => Promise<CertificatesPortSubject>,
): void => {
  describe(`CertificatesPort: ${label}`, () => {
    let subject: CertificatesPortSubject
    let serial = 0
    const id = (): string => `operation-${(serial += 1)}`
    const own = (change: Record<string, unknown> = {}) => ({
      username: subject.username as string | null,
      domain: subject.domain,
      names: [subject.domain, subject.alias],
      by_dns: [],
      replaces: null,
      webroot: null,
      ...change,
    })
    beforeAll(async () => {
      subject = await create()
    })
    afterAll(() => subject.dispose())

    test('prepare leaves out names that do not lead here, unless it is forced', async () => {
      const { domain, alias, lostAlias, certificates } = subject
      const names = [domain, alias, lostAlias]
      const challenge = null
      const plan = await certificates.prepare({ ...own({ names }), force: false, challenge })
      expect(plan).toEqual({
        names: [domain, alias],
        by_dns: [],
        left_out: [{ name: lostAlias, reason: expect.stringContaining(lostAlias) }],
      })
      expect(await certificates.prepare({ ...own({ names }), force: true, challenge })).toEqual({
        names,
        by_dns: [],
        left_out: [],
      })
    })

    test('issue stores a certificate for the names, once per operation', async () => {
      const operationId = id()
      const made = await subject.certificates.issue({ ...own(), operationId })
      expect(made).toMatchObject({ version: operationId, left_out: [] })
      expect([...made.san].sort()).toEqual([subject.alias, subject.domain].sort())
      expect(made.serial).toMatch(/^[0-9A-F]+$/)
      expect(made.issuer).toMatch(/^CN=/)
      for (const time of [made.issued_at, made.expires_at])
        expect(time).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
      for (const file of Object.values(made.files)) expect(file).toContain(`/${operationId}/`)
      expect(await subject.certificates.issue({ ...own(), operationId })).toEqual(made)
      expect(await subject.versions()).toEqual([operationId])
    })

    test('the authority says nothing of when to renew, nor is one asked of what is not there', async () => {
      const { username, domain } = own()
      const [version = ''] = await subject.versions()
      for (const one of [version, 'operation-none'])
        expect(await subject.certificates.renewalWindow({ username, domain, version: one })).toBe(
          null,
        )
      const foreign = { username: subject.otherUsername, domain, version }
      await expect(subject.certificates.renewalWindow(foreign)).rejects.toMatchObject({
        status: expect.any(Number) as number,
      })
    })

    test('issue leaves out a name beside the own that the authority cannot reach', async () => {
      const names = [subject.domain, subject.lostAlias]
      const made = await subject.certificates.issue({ ...own({ names }), operationId: id() })
      expect(made.san).toEqual([subject.domain])
      expect(made.left_out).toEqual([
        { name: subject.lostAlias, reason: expect.stringContaining('authority says') },
      ])
    })

    test('nothing is done for names and sites of others', async () => {
      const { certificates, otherUsername } = subject
      const before = await subject.versions()
      const issue = (change: Record<string, unknown>) =>
        certificates.issue({ ...own(change), operationId: id() })
      await expect(issue({ username: otherUsername })).rejects.toMatchObject({ status: 409 })
      await expect(issue({ username: null })).rejects.toMatchObject({ status: 409 })
      await expect(issue({ domain: 'nobody.example' })).rejects.toMatchObject({ status: 404 })
      await expect(issue({ names: [subject.domain, 'elsewhere.example'] })).rejects.toMatchObject({
        status: 400,
      })
      await expect(
        certificates.prune({ username: otherUsername, domain: subject.domain, keep: null }),
      ).rejects.toMatchObject({ status: 409 })
      expect(await subject.versions()).toEqual(before)
      expect(await certificates.panelName()).toBeNull()
    })

    test.each(['/etc', '/home', 'public_html', '/../etc'])(
      'a webroot at %s is refused',
      async (webroot) => {
        await expect(
          subject.certificates.prepare({ ...own({ webroot }), force: true, challenge: null }),
        ).rejects.toMatchObject({ status: 400, field: 'webroot' })
      },
    )

    test('install takes a fitting pair and nothing else', async () => {
      const { certificates, domain, username } = subject
      const root = makeCertificate({ names: ['Root'], authority: true })
      const middle = makeCertificate({ names: ['Middle'], authority: true, issuer: root })
      const leaf = makeCertificate({ names: [domain], issuer: middle })
      const install = (certificate: string, key: string) =>
        certificates.install({ operationId: id(), username, domain, certificate, key })
      const before = await subject.versions()
      const refuse = (certificate: string, key: string, field: string) =>
        expect(install(certificate, key)).rejects.toMatchObject({ status: 400, field })

      await refuse('nothing', leaf.key, 'certificate')
      await refuse(
        leaf.certificate.replace(/\n.{20}/, '\nAAAAAAAAAAAAAAAAAAAA'),
        leaf.key,
        'certificate',
      )
      await refuse(leaf.certificate, 'nothing', 'private_key')
      await refuse(leaf.certificate, middle.key, 'private_key')
      await refuse(middle.certificate + leaf.certificate, leaf.key, 'private_key')
      const other = makeCertificate({ names: ['other.example'] })
      await refuse(other.certificate, other.key, 'certificate')
      const expired = makeCertificate({ names: [domain], days: -1 })
      await refuse(expired.certificate, expired.key, 'certificate')
      await refuse(leaf.certificate + other.certificate, leaf.key, 'certificate')
      expect(await subject.versions()).toEqual(before)

      const made = await install(leaf.certificate + root.certificate + middle.certificate, leaf.key)
      expect(made).toMatchObject({ san: [domain], subject: `CN=${domain}`, issuer: 'CN=Middle' })
      expect(await subject.versions()).toContain(made.version)
    })

    test('an order waits for its records, is answered as it is, and is another account’s never', async () => {
      const { certificates, domain, alias, username, otherUsername } = subject
      const order = { username, domain }
      const names = [domain, alias]
      await expect(certificates.lookAtOrder(order)).rejects.toMatchObject({ status: 404 })
      const begun = await certificates.beginOrder({ ...order, names })
      expect(begun).toMatchObject({ ...order, names, left_out: [], failed: null })
      expect(begun.records.map(({ name, shown }) => [name, shown]).toSorted()).toEqual(
        names.map((name) => [`_acme-challenge.${name}`, false]).toSorted(),
      )
      for (const { value } of begun.records) expect(value).toMatch(/^[\w-]+$/)
      expect(await certificates.beginOrder({ ...order, names })).toEqual(begun)
      const listed = await certificates.waitingOrders()
      expect(listed).toMatchObject([{ domain, records: [{ shown: null }, { shown: null }] }])
      await expect(certificates.finishOrder({ ...order, operationId: id() })).rejects.toMatchObject(
        { status: 409 },
      )
      for (const work of [
        () => certificates.beginOrder({ domain, username: otherUsername, names }),
        () => certificates.lookAtOrder({ domain, username: otherUsername }),
        () => certificates.finishOrder({ domain, username: null, operationId: id() }),
        () => certificates.dropOrder({ domain, username: otherUsername }),
      ])
        await expect(work()).rejects.toMatchObject({ status: expect.any(Number) as number })
      await expect(
        certificates.beginOrder({ ...order, names: [domain, 'elsewhere.example'] }),
      ).rejects.toMatchObject({ status: 400 })
      const fewer = await certificates.beginOrder({ ...order, names: [domain] })
      expect(fewer.records).toHaveLength(1)
      expect(fewer.records[0]?.value).not.toBe(begun.records[0]?.value)
      await certificates.dropOrder(order)
      await certificates.dropOrder(order)
      expect(await certificates.waitingOrders()).toEqual([])
    })

    test('prune keeps one version, or none, and may be repeated', async () => {
      const { certificates, domain, username } = subject
      const { version } = await certificates.issue({ ...own(), operationId: id() })
      expect((await subject.versions()).length).toBeGreaterThan(1)
      await certificates.prune({ username, domain, keep: version })
      expect(await subject.versions()).toEqual([version])
      for (let round = 0; round < 2; round++) {
        await certificates.prune({ username, domain, keep: null })
        expect(await subject.versions()).toEqual([])
      }
    })
  })
}
