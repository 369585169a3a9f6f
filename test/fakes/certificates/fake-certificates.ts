import { certificateFacts } from '#adapters/node/agent/certificates/certificate-facts.ts'
import { checkPair } from '#adapters/node/agent/certificates/check-pair.ts'
import { planProofs } from '#handlers/domain/certificates/plan-proofs.ts'
import type { RenewalWindow } from '#handlers/ports/host/certificates.ts'
import { timestamp } from '#handlers/domain/text/timestamp.ts'
import { parseWebroot } from '#handlers/domain/domains/webroot.ts'
import { AppError, conflict, invalid, notFound, unavailable } from '#handlers/errors.ts'
import type {
  CertificatesPort,
  CertificateSubject,
  InstalledCertificate,
} from '#handlers/ports/host/certificates.ts'
import type { VirtualHostSpec } from '#handlers/ports/host/web-server.ts'
import { createFakeWaitingOrders, type FakeWaitingOrders } from './fake-waiting-orders.ts'
import type { FakeOperations } from '../operations.ts'

export interface FakeCertificates extends CertificatesPort, FakeWaitingOrders {
  /** Stored versions by domain, for assertions. */
  stored: Map<string, Set<string>>
  /** As `[panel] acme_email`; null: not set. */
  acmeEmail: string | null
  /** Answer of `panelName`. */
  ownName: string | null
  /** Of what is issued. Default: 90. */
  lifetimeDays: number
  nowMs: () => number
  /** What the authority says of versions, by version. Default: nothing. */
  windows: Map<string, RenewalWindow>
  /** Versions that orders said they replace, for assertions. */
  replaced: string[]
  /** Removes all that a user has, as the host does with the user. */
  forget(username: string): void
}

const DAY_MS = 86_400_000

/**
 * Certificates of a host held in memory. Names that begin with `unreachable.`
 * do not lead here, `refused.` is refused by the authority, `down.` finds it
 * not answering.
 */
export const createFakeCertificates = (
  operations: FakeOperations,
  host: (domain: string) => VirtualHostSpec | undefined,
  homeOf: (username: string) => string | null,
  covers: (username: string | null, name: string) => boolean,
): FakeCertificates => {
  const stored = new Map<string, Set<string>>()
  const owners = new Map<string, string | null>()
  let serial = 0

  const authorize = ({ username, domain }: CertificateSubject, names: readonly string[]) => {
    if ((owners.get(domain) ?? username) !== username)
      throw conflict(`The certificate of ${domain} belongs to another account.`)
    if (username === null && domain === port.ownName) return
    const found = host(domain)
    if (username === null || found?.username !== username)
      throw notFound(`There is no virtual host ${domain}.`)
    const foreign = names.find((name) => name !== domain && !found.aliases.includes(name))
    if (foreign !== undefined) throw invalid('domain', `${foreign} is no name of ${domain}.`)
  }
  const requireEmail = (): void => {
    if (port.acmeEmail === null)
      throw new AppError(400, 'acme_email is not set. Set acme_email in the [panel] section.')
  }
  const store = (
    { username, domain }: CertificateSubject,
    version: string,
    facts: Omit<InstalledCertificate, 'version' | 'files'>,
  ): InstalledCertificate => {
    owners.set(domain, username)
    stored.set(domain, new Set([...(stored.get(domain) ?? []), version]))
    const place = `/certs/${domain}/${version}`
    return {
      version,
      ...facts,
      files: {
        certificate: `${place}/certificate.pem`,
        key: `${place}/key.pem`,
        chain: `${place}/chain.pem`,
      },
    }
  }

  const issued = (
    { username, domain }: CertificateSubject,
    operationId: string,
    san: string[],
  ): InstalledCertificate => {
    const nowMs = port.nowMs()
    return store({ username, domain }, operationId, {
      ...{ san, subject: `CN=${domain}`, issuer: 'CN=Fake Authority' },
      serial: (serial += 1).toString(16).toUpperCase().padStart(4, '0'),
      issued_at: timestamp(nowMs),
      expires_at: timestamp(nowMs + port.lifetimeDays * DAY_MS),
    })
  }

  const port: FakeCertificates = {
    ...createFakeWaitingOrders({
      authorize,
      nowMs: () => port.nowMs(),
      finish: (operationId, order, isProved) =>
        operations.run(operationId, 'certificates.finish', order.domain, () => {
          isProved()
          return { ...issued(order, operationId, order.names), left_out: order.left_out }
        }),
    }),
    stored,
    acmeEmail: 'admin@example.com',
    ownName: null,
    lifetimeDays: 90,
    nowMs: () => Date.now(),
    windows: new Map(),
    replaced: [],
    async renewalWindow({ username, domain, version }) {
      authorize({ username, domain }, [])
      if (domain.startsWith('down.'))
        throw unavailable('The certificate authority does not answer.')
      return stored.get(domain)?.has(version) === true ? (port.windows.get(version) ?? null) : null
    },
    async prepare({ username, domain, names, webroot, force, challenge }) {
      requireEmail()
      authorize({ username, domain }, names)
      if (webroot !== null) parseWebroot(webroot, username === null ? null : homeOf(username))
      const planned = planProofs({ domain, names, challenge }, (name) => covers(username, name))
      const { by_dns } = planned
      const lost = (force ? [] : planned.by_http)
        .filter((name) => name.startsWith('unreachable.'))
        .map((name) => ({ name, reason: `Another server answers at ${name}.` }))
      if (lost.some(({ name }) => name === domain))
        throw invalid('domain', `domain ${domain} does not lead to this server.`)
      const left_out = [...lost, ...planned.left_out]
      const left = names.filter((name) => !left_out.some((one) => one.name === name))
      return { names: left, by_dns, left_out }
    },
    async issue({ operationId, username, domain, names, by_dns, replaces }) {
      return operations.run(operationId, 'certificates.issue', domain, () => {
        requireEmail()
        authorize({ username, domain }, names)
        if (domain.startsWith('down.'))
          throw unavailable('The certificate authority cannot be reached.')
        if (domain.startsWith('refused.'))
          throw invalid('domain', `The certificate authority refused the order for ${domain}.`)
        const left_out = names
          .filter((name) => name.startsWith('unreachable.') && !by_dns.includes(name))
          .map((name) => ({ name, reason: 'The certificate authority says: no answer' }))
        if (replaces !== null) port.replaced.push(replaces)
        const san = names.filter((name) => !left_out.some((one) => one.name === name))
        const made = issued({ username, domain }, operationId, san)
        return { ...made, left_out }
      })
    },
    async install({ operationId, username, domain, certificate, key }) {
      return operations.run(operationId, 'certificates.install', domain, () => {
        authorize({ username, domain }, [])
        const pair = checkPair({ domain, certificate, key, nowMs: Date.now() })
        return store({ username, domain }, operationId, certificateFacts(pair.certificate))
      })
    },
    async prune({ username, domain, keep }) {
      if (!owners.has(domain)) return
      if (owners.get(domain) !== username)
        throw conflict(`The certificate of ${domain} belongs to another account.`)
      const left = [...(stored.get(domain) ?? [])].filter((version) => version === keep)
      if (left.length > 0) stored.set(domain, new Set(left))
      else {
        stored.delete(domain)
        owners.delete(domain)
      }
    },
    forget(username) {
      for (const [domain, owner] of [...owners]) {
        if (owner !== username) continue
        stored.delete(domain)
        owners.delete(domain)
      }
      for (const [domain, order] of [...port.waiting])
        if (order.username === username) port.waiting.delete(domain)
    },
    async pair({ username, domain, version }) {
      authorize({ username, domain }, [])
      if (stored.get(domain)?.has(version) !== true) return null
      return { domain, version, certificate: `chain of ${version}`, key: `key of ${version}` }
    },
    async panelName() {
      return port.ownName
    },
  }
  return port
}
