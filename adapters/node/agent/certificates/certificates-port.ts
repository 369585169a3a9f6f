import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { planProofs, wantedByDns } from '#handlers/domain/certificates/plan-proofs.ts'
import { hasWildcard } from '#handlers/domain/domains/wildcard-name.ts'
import { parseWebroot } from '#handlers/domain/domains/webroot.ts'
import { AppError, conflict, invalid, notFound, isAppError } from '#handlers/errors.ts'
import type {
  CertificatesPort,
  CertificateOrder,
  CertificateSubject,
  InstalledCertificate,
  SkippedName,
} from '#handlers/ports/host/certificates.ts'
import type { FilesPort } from '#handlers/ports/host/files.ts'
import type { Log } from '#handlers/ports/log.ts'
import type { AccountLock, OperationKey, Registry } from '../registry/types.ts'
import { runOperation } from '../run-operation.ts'
import type { WebControl } from '../domains/web-control.ts'
import { certificateFacts } from './certificate-facts.ts'
import type { CertificateFiles } from './certificate-files.ts'
import { fallbackAuthority, mainAuthority } from './acme-authorities.ts'
import type { AcmeAuthority, AcmeSettings } from './acme-authorities.ts'
import { createChallengePublisher } from './challenge-publisher.ts'
import type { ChallengePublisher } from './challenge-publisher.ts'
import { checkPair } from './check-pair.ts'
import type { CheckedPair } from './check-pair.ts'
import type { DnsService } from './dns/dns-service.ts'
import type { PanelTls } from './panel-tls.ts'
import type { OrderFiles } from './waiting/order-files.ts'
import { createWaitingOrders } from './waiting/waiting-orders.ts'
import { checkReach } from './reach-check.ts'
import type { ReachOptions } from './reach-check.ts'

export interface CertificatesPortDeps {
  registry: Registry
  lock: AccountLock
  files: CertificateFiles
  control: Pick<WebControl, 'challenges'>
  homes: Pick<FilesPort, 'write' | 'delete'>
  ensureDirectory: (username: string, path: string) => Promise<void>
  panel: AcmeSettings
  /** Name of the panel, and who takes its certificate; null: it has none. */
  panelTls: PanelTls | null
  dns: Pick<DnsService, 'coversOf' | 'publisher' | 'refusal' | 'settle' | 'placeOf' | 'isShown'>
  /** Orders that wait for records. */
  orders: OrderFiles
  /** Of account keys; root's alone. */
  accountDir: string
  reach?: ReachOptions
  log: Log
}

export interface CertificatesService extends CertificatesPort {
  /** Forgets the orders of an account that goes. */
  forgetOrders(username: string): void
  /** Undoes what a crash left open. */
  settle(): Promise<void>
}

/** Loaded with the first order: the library takes as long as all else that the agent loads. */
const loadAcme = async () => {
  const [{ readAccountKey }, { orderCertificate }, { converse }, renewals] = await Promise.all([
    import('./acme-account.ts'),
    import('./acme-order.ts'),
    import('./acme-transport.ts'),
    import('./renewal-info.ts'),
  ])
  return { readAccountKey, orderCertificate, converse, ...renewals }
}

/** From the first word with the authority to the certificate. */
const ORDER_LIMIT_MS = 150_000
/** Secondary DNS servers take their time. */
const DNS_ORDER_LIMIT_MS = 360_000
/** It is asked of every certificate, one after the other. */
const RENEWAL_INFO_LIMIT_MS = 20_000
const NO_EMAIL =
  'acme_email is not set, and certificate authorities want an address for warnings. Set acme_email in the [panel] section of the configuration, then restart.'

const without = (names: readonly string[], left: readonly SkippedName[]): string[] =>
  names.filter((name) => !left.some((one) => one.name === name))

export const createCertificatesPort = (deps: CertificatesPortDeps): CertificatesService => {
  const { registry, files, panel, panelTls, dns, log } = deps
  const lock = <T>(domain: string, work: () => Promise<T>): Promise<T> =>
    deps.lock(`certificate of ${domain}`, work)

  /** Throws unless the names are those of the account's virtual host, by our own records. */
  const authorize = ({ username, domain }: CertificateSubject, names: readonly string[]): void => {
    const kept = registry.certificate(domain)
    if (kept !== null && kept.username !== username)
      throw conflict(`The certificate of ${domain} belongs to another account.`, 'domain')
    if (username === null) {
      if (panelTls?.name !== domain || names.some((name) => name !== domain))
        throw notFound(`${domain} is not the name of the panel.`)
      return
    }
    const host = registry.vhost(domain)
    if (registry.account(username) === null || host?.username !== username)
      throw notFound(`Account ${username} has no virtual host ${domain}.`)
    const foreign = names.find((name) => name !== domain && !host.aliases.includes(name))
    if (foreign !== undefined) throw invalid('domain', `${foreign} is not a name of ${domain}.`)
  }

  const publisherFor = ({ username, webroot }: CertificateOrder): ChallengePublisher => {
    const account = username === null ? null : registry.account(username)
    const home = account?.home ?? null
    const wanted = webroot === null ? null : parseWebroot(webroot, home)
    if (wanted !== webroot) throw invalid('webroot', 'webroot is not in its canonical form.')
    const directory =
      account === null || wanted === null
        ? null
        : { username: account.username, home: account.home, webroot: wanted }
    const { control, homes, ensureDirectory } = deps
    return createChallengePublisher({ control, files: homes, ensureDirectory, directory, log })
  }

  const trustedRoots = async (): Promise<string | null> =>
    panel.acme_ca_file === null ? null : readFile(panel.acme_ca_file, 'utf8')

  const email = (): string => {
    if (panel.acme_email === null) throw new AppError(400, NO_EMAIL)
    return panel.acme_email
  }

  const store = async (
    subject: CertificateSubject,
    version: string,
    pair: CheckedPair,
  ): Promise<InstalledCertificate> => {
    const { domain, username } = subject
    // The order took its time; the account may be gone.
    authorize(subject, [])
    registry.addCertificate(domain, username)
    const paths = await files.write(domain, version, pair)
    if (username === null) await panelTls?.take(pair)
    return { version, ...certificateFacts(pair.certificate), files: paths }
  }

  const removeVersion = async (domain: string, version: string): Promise<void> => {
    await files.remove(domain, version)
    if ((await files.versions(domain)).length === 0) registry.removeCertificate(domain)
  }

  /** Once per operation; a failure leaves no file. */
  const once = <T>(key: OperationKey, work: () => Promise<T>): Promise<T> =>
    lock(key.subject, () =>
      runOperation(registry, key, {}, work, () => removeVersion(key.subject, key.id)),
    )

  /** What the first authority answers, be it a refusal; the next is asked where it cannot be reached. */
  const firstThatAnswers = async <T>(ask: (authority: AcmeAuthority) => Promise<T>): Promise<T> => {
    try {
      return await ask(await mainAuthority(panel))
    } catch (error) {
      const cannotBeAsked = isAppError(error) && error.status === 503
      const next = cannotBeAsked ? await fallbackAuthority(panel) : null
      if (!cannotBeAsked || next === null) throw error
      log.warn('the fallback is asked for a certificate', { reason: error.message })
      return ask(next)
    }
  }

  const { forget: forgetOrders, ...waiting } = createWaitingOrders({
    ...{ files: deps.orders, dns },
    work: {
      ...{ authorize, email, trustedRoots, firstThatAnswers, once, inTurn: lock, store },
      async authorityOf(directory) {
        const all = [await mainAuthority(panel), await fallbackAuthority(panel)]
        return all.find((one) => one?.directory === directory) ?? null
      },
      accountKey: async (directory) =>
        (await loadAcme()).readAccountKey(deps.accountDir, directory),
    },
  })

  return {
    ...waiting,
    forgetOrders,
    async prepare(input) {
      const { username, domain, names, force } = input
      email()
      authorize(input, names)
      const publisher = publisherFor(input)
      const covers = await dns.coversOf(username, wantedByDns(names, input.challenge))
      const planned = planProofs(input, covers)
      const { by_dns, by_http } = planned
      if (force || by_http.length === 0)
        return { names: without(names, planned.left_out), by_dns, left_out: planned.left_out }
      const random = (): string => randomBytes(24).toString('base64url')
      const proof = { token: random(), content: random() }
      try {
        await publisher.publish(proof.token, proof.content)
        const reasons = await Promise.all(
          by_http.map((name) => checkReach(name, proof, deps.reach)),
        )
        const lost = by_http.flatMap((name, at) => {
          const reason = reasons[at] ?? null
          return reason === null ? [] : [{ name, reason }]
        })
        const own = lost.find(({ name }) => name === domain)
        if (own !== undefined)
          throw invalid(
            'domain',
            `domain ${domain} does not lead to this server. ${own.reason} Point its A and AAAA records here and open port 80, or send "force": true to order without this check.`,
          )
        const left_out = [...lost, ...planned.left_out]
        return { names: without(names, left_out), by_dns, left_out }
      } finally {
        await publisher.withdrawAll()
      }
    },

    issue: (input) =>
      once(
        { id: input.operationId, kind: 'certificates.issue', subject: input.domain },
        async () => {
          const { username, domain, names, by_dns } = input
          const address = email()
          authorize(input, names)
          const foreign = by_dns.some((name) => !names.includes(name))
          if (foreign || hasWildcard(names.filter((name) => !by_dns.includes(name))))
            throw invalid('domain', 'A wildcard is proved by DNS, or left out of the order.')
          const byDns = by_dns.length > 0
          // What an earlier order could not take back would stand beside what this one sets.
          if (byDns) await dns.settle({ username })
          const records = dns.publisher(username)
          const challenges = publisherFor(input)
          try {
            const { readAccountKey, orderCertificate, converse, certificateId } = await loadAcme()
            const ca = await trustedRoots()
            const { replaces: version } = input
            const replaced = version === null ? null : await files.read(domain, version)
            const replaces = replaced === null ? null : certificateId(replaced)
            const limitMs = byDns ? DNS_ORDER_LIMIT_MS : ORDER_LIMIT_MS
            const orderFrom = async (authority: AcmeAuthority) => {
              const { directory } = authority
              const accountKey = await readAccountKey(deps.accountDir, directory)
              return converse(ca, limitMs, () =>
                orderCertificate({
                  ...{
                    domain,
                    names,
                    ...authority,
                    accountKey,
                    email: address,
                    challenges,
                    replaces,
                  },
                  dns: byDns ? { names: by_dns, records, refusal: dns.refusal } : null,
                }),
              )
            }
            const { certificate, key, left_out } = await firstThatAnswers(orderFrom)
            const pair = checkPair({ domain, certificate, key, nowMs: null })
            return { ...(await store(input, input.operationId, pair)), left_out }
          } finally {
            await Promise.all([challenges.withdrawAll(), records.withdrawAll()])
          }
        },
      ),

    async renewalWindow(input) {
      authorize(input, [])
      const stored = await files.read(input.domain, input.version)
      if (stored === null) return null
      const { converse, certificateId, askRenewalWindow } = await loadAcme()
      const id = certificateId(stored)
      if (id === null) return null
      const ca = await trustedRoots()
      const directories = [panel.acme_directory, panel.acme_fallback_directory]
      for (const directory of directories) {
        if (directory === null) continue
        const found = await converse(ca, RENEWAL_INFO_LIMIT_MS, () =>
          askRenewalWindow(directory, id),
        )
        if (found !== null) return found
      }
      return null
    },

    install: (input) =>
      once({ id: input.operationId, kind: 'certificates.install', subject: input.domain }, () => {
        const { domain, certificate, key } = input
        authorize(input, [])
        const pair = checkPair({ domain, certificate, key, nowMs: Date.now() })
        return store(input, input.operationId, pair)
      }),

    prune: ({ username, domain, keep }) =>
      lock(domain, async () => {
        const kept = registry.certificate(domain)
        if (kept === null) return
        if (kept.username !== username)
          throw conflict(`The certificate of ${domain} belongs to another account.`, 'domain')
        for (const version of await files.versions(domain))
          if (version !== keep) await files.remove(domain, version)
        if ((await files.versions(domain)).length > 0) return
        registry.removeCertificate(domain)
        if (username === null) await panelTls?.drop()
      }),

    async pair({ username, domain, version }) {
      authorize({ username, domain }, [])
      const [certificate, key] = await Promise.all([
        files.read(domain, version),
        files.readKey(domain, version),
      ])
      return certificate === null || key === null ? null : { domain, version, certificate, key }
    },

    panelName: async () => panelTls?.name ?? null,

    async settle() {
      for (const { id, kind, subject } of registry.openOperations('certificates.'))
        await lock(subject, async () => {
          const key = { id, kind, subject }
          // One that a panel has repeated meanwhile is not ours to undo.
          if (registry.operation(key)?.state !== 'open') return
          await removeVersion(subject, id)
          registry.closeOperation(key, 'undone')
        })
    },
  }
}
