import { parseWebroot } from '../../domain/domains/webroot.ts'
import { certificateAge, expiryOf } from '../../domain/certificates/certificate-status.ts'
import { conflict, isAppError, notFound } from '../../errors.ts'
import type { InstalledCertificate, SkippedName } from '../../ports/host/certificates.ts'
import type { CertificateRow, ChallengeType, ProofType } from '../../ports/store/records.ts'
import type { ListQuery, Page } from '../../ports/store/store.ts'
import type { Origin } from './bringing.ts'
import { bringCertificate } from './bringing.ts'
import { CERTIFICATE_REMOVE, certificateData, certificateSubject } from './operations.ts'
import type { CertificateView } from './view.ts'
import { certificateView } from './view.ts'
import type { CertifiedSite } from './certified-site.ts'
import { findCertifiedSite, ownerOfName, parseCertifiedName } from './certified-site.ts'
export { CERTIFICATE_INSTALL, certificateSubject } from './operations.ts'
import { createRenewalLook } from './renewal-look.ts'
import { createOrderRateLimit } from './order-rate-limit.ts'
import type { Following } from './following.ts'
import { beginStep } from './following.ts'
import type { Journal } from '../journal/journal.ts'
import { requireActiveAccount } from '../records/lookup.ts'
import type { ServiceDeps } from '../service-deps.ts'
import type { VirtualHosts } from '../virtual-hosts/virtual-hosts.ts'

interface Provisioning {
  domain: string
  /** Absolute directory in the account's home that gets the challenge files too. */
  webroot?: string | undefined
  /** Orders all names without looking whether they lead here. Default: false. */
  force?: boolean | undefined
  /** How all names are proved. Default: by HTTP, and wildcards by DNS where an access covers them. */
  challengeType?: ChallengeType | undefined
  /** Whether http then leads to https. Default: as it is. */
  redirectHttps?: boolean | undefined
}

interface Upload {
  domain: string
  /** PEM, the site's own first; the order of the rest does not matter. */
  certificate: string
  privateKey: string
  redirectHttps?: boolean | undefined
}

/** A pair that the host brings by itself, such as one of an archive. */
interface Adoption {
  domain: string
  source: CertificateRow['source']
  forced: boolean
  challenge: ProofType | null
  obtain: (operationId: string) => Promise<InstalledCertificate>
}

type IssuedView = CertificateView & { left_out: SkippedName[] }

/** Names of sites, by what became of their renewal. */
export interface RenewalReport {
  renewed: string[]
  skipped: string[]
  errors: { domain: string; error: string }[]
}

/**
 * Certificates of sites, and of the panel's own name. 404 for a name that nobody here has,
 * or that has none.
 */
export interface Certificates {
  /** Counts an order that a user of role account asks for (null: an administrator); 429 when there were too many. */
  countOrder(accountId: number | null): Promise<void>
  /** Account that a name belongs to, null for the panel's own name. 400, 404. */
  ownerOf(domain: string): Promise<number | null>
  /** By domain unless the query says otherwise. */
  list(query: ListQuery): Promise<Page<CertificateView>>
  /** 404 for a site without one. */
  get(domain: string): Promise<CertificateView>
  /** The panel's own name, and what it has; nulls: none is configured, or it has none. */
  ofPanel(): Promise<{ name: string | null; certificate: CertificateView | null }>
  /** Steps `check`, `order`, `activate`. 400 when the name does not lead here or the authority refuses it, 409 suspended, 503 authority unreachable. */
  provision(input: Provisioning, following?: Following): Promise<IssuedView>
  /** Orders anew as it was ordered before. 409 for one that was uploaded. */
  renew(domain: string, following?: Following): Promise<IssuedView>
  /** Renews all that are due, one after the other; a failure keeps no other from its turn. */
  autoRenew(following?: Following): Promise<RenewalReport>
  /** 400 when key, names, dates or chain do not fit. */
  upload(input: Upload): Promise<CertificateView>
  /** Takes the pair that the host has for the site, as what it was where it comes from. */
  adopt(input: Adoption): Promise<CertificateView>
  /** The site loses its redirect to https with it. */
  remove(domain: string): Promise<void>
}

type Deps = Pick<ServiceDeps, 'store' | 'host' | 'clock' | 'log'> & {
  journal: Journal
  vhosts: VirtualHosts
}

export const createCertificates = (deps: Deps): Certificates => {
  const { store, host, clock, log, journal } = deps
  const view = (row: CertificateRow) => certificateView(row, clock.nowMs())

  const require = async (input: string): Promise<CertificateRow> => {
    const name = parseCertifiedName(input)
    const row = await store.certificateByDomain(name)
    if (row !== null) return row
    // An alias, and `www.`, show what their site has.
    const { domain } = await findCertifiedSite(deps, name)
    const ofSite = await store.certificateByDomain(domain)
    if (ofSite === null) throw notFound(`${name} has no certificate. Provision or upload one.`)
    return ofSite
  }

  const inTurn = <T>(domain: string, work: () => Promise<T>): Promise<T> =>
    journal.exclusively(certificateSubject(domain), work)

  /** Keeps the reason beside a certificate that there already is. */
  const noting = async <T>(domain: string, work: () => Promise<T>): Promise<T> => {
    try {
      return await work()
    } catch (error) {
      const text = isAppError(error) ? error.message : 'An unexpected error; see the panel log.'
      await store.setCertificateError(domain, text)
      throw error
    }
  }

  const order = (
    site: CertifiedSite,
    {
      webroot,
      forced,
      challenge,
    }: Omit<Origin, 'source' | 'challenge'> & {
      challenge: ChallengeType | null
    },
    replaces: string | null,
    redirectHttps: boolean | undefined,
    following: Following,
  ): Promise<IssuedView> =>
    noting(site.domain, async () => {
      const { domain, names } = site
      const subject = { username: site.account?.username ?? null, domain, webroot }
      beginStep(following, 'check', names.join(', '), 5)
      const plan = await host.certificates.prepare({ ...subject, names, force: forced, challenge })
      beginStep(following, 'order', plan.names.join(', '), 20)
      const { row, made } = await bringCertificate(
        deps,
        site,
        { source: 'acme', webroot, forced, challenge },
        redirectHttps,
        (operationId) =>
          host.certificates.issue({
            ...{ ...subject, operationId },
            ...{ names: plan.names, by_dns: plan.by_dns, replaces },
          }),
        following,
      )
      return { ...view(row), left_out: [...plan.left_out, ...made.left_out] }
    })

  /** Null when it is not due (any more). */
  const renew = async (domain: string, onlyDue: boolean, following: Following) => {
    const asked = await require(domain)
    return inTurn(asked.domain, async () => {
      const row = await require(asked.domain)
      if (onlyDue && !certificateAge(row, clock.nowMs()).renewal_due) return null
      if (row.source !== 'acme')
        throw conflict(
          `The certificate of ${row.domain} was uploaded and cannot be renewed here. Upload a new one, or provision one.`,
        )
      const { challenge } = row
      if (challenge === 'by-hand')
        throw conflict(
          `The certificate of ${row.domain} is proved by records that are set by hand. Begin an order (berth ssl-orders begin ${row.domain}), and set them.`,
        )
      return order(
        await findCertifiedSite(deps, row.domain),
        { ...row, challenge },
        row.version,
        undefined,
        following,
      )
    })
  }

  const rateLimit = createOrderRateLimit(deps)

  return {
    async countOrder(accountId) {
      if (accountId !== null) await rateLimit.count(accountId)
    },
    ownerOf: (domain) => ownerOfName(deps, domain),
    async list(query) {
      const { status } = query.filters ?? {}
      const filters = status === undefined ? {} : expiryOf(status, clock.nowMs())
      const { rows, total } = await store.listCertificates({ ...query, filters })
      return { rows: rows.map(view), total }
    },
    get: async (domain) => view(await require(domain)),
    async ofPanel() {
      const name = await host.local.certificates.panelName()
      const row = name === null ? null : await store.certificateByDomain(name)
      return { name, certificate: row === null ? null : view(row) }
    },
    async provision(
      { domain, webroot, force = false, challengeType, redirectHttps },
      following = {},
    ) {
      const { domain: name } = await findCertifiedSite(deps, domain)
      return inTurn(name, async () => {
        const site = await findCertifiedSite(deps, name)
        if (site.account !== null) await requireActiveAccount(store, site.account.id)
        const directory =
          webroot === undefined ? null : parseWebroot(webroot, site.account?.home ?? null)
        const origin = { webroot: directory, forced: force, challenge: challengeType ?? null }
        const before = await store.certificateByDomain(name)
        const replaces = before?.source === 'acme' ? before.version : null
        return order(site, origin, replaces, redirectHttps, following)
      })
    },
    async renew(domain, following = {}) {
      const renewed = await renew(domain, false, following)
      if (renewed === null) throw new Error('a renewal that was asked for was left out')
      return renewed
    },
    async autoRenew(following = {}) {
      const done: RenewalReport = { renewed: [], skipped: [], errors: [] }
      const lookAt = createRenewalLook(deps)
      for (const { domain } of (await store.listCertificates()).rows) {
        try {
          const known = await store.certificateByDomain(domain)
          const row = known === null ? null : await lookAt(known)
          const due = row !== null && certificateAge(row, clock.nowMs()).renewal_due
          const renewed = due ? await renew(domain, true, following) : null
          done[renewed === null ? 'skipped' : 'renewed'].push(domain)
        } catch (error) {
          log.error('certificate not renewed', { domain, error: String(error) })
          const text = isAppError(error) ? error.message : 'An unexpected error; see the panel log.'
          done.errors.push({ domain, error: text })
        }
      }
      return done
    },
    async upload({ domain, certificate, privateKey, redirectHttps }) {
      const { domain: name } = await findCertifiedSite(deps, domain)
      return inTurn(name, async () => {
        const site = await findCertifiedSite(deps, name)
        if (site.account !== null) await requireActiveAccount(store, site.account.id)
        const subject = { username: site.account?.username ?? null, domain: name }
        const { row } = await bringCertificate(
          deps,
          site,
          { source: 'uploaded', webroot: null, forced: false, challenge: null },
          redirectHttps,
          (operationId) =>
            host.certificates.install({ ...subject, operationId, certificate, key: privateKey }),
          {},
        )
        return view(row)
      })
    },
    async adopt({ domain, source, forced, challenge, obtain }) {
      const { domain: name } = await findCertifiedSite(deps, domain)
      return inTurn(name, async () => {
        const site = await findCertifiedSite(deps, name)
        if (site.account !== null) await requireActiveAccount(store, site.account.id)
        const origin = { source, webroot: null, forced, challenge }
        const { row } = await bringCertificate(deps, site, origin, undefined, obtain, {})
        return view(row)
      })
    },
    async remove(domain) {
      const { domain: name } = await require(domain)
      await inTurn(name, async () => {
        const row = await require(name)
        const site = await findCertifiedSite(deps, row.domain)
        const data = certificateData(site, row)
        const operation = journal.newOperation(CERTIFICATE_REMOVE, certificateSubject(name), data)
        await store.openOperation(operation)
        await journal.finish(operation)
      })
    },
  }
}
