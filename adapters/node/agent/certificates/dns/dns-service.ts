import { randomBytes } from 'node:crypto'
import { changedAccess } from '#handlers/domain/certificates/dns-access.ts'
import { caaRefusal } from '#handlers/domain/certificates/caa.ts'
import type { DnsCover } from '#handlers/domain/certificates/plan-proofs.ts'
import { wildcardBase } from '#handlers/domain/domains/wildcard-name.ts'
import { timestamp } from '#handlers/domain/text/timestamp.ts'
import { conflict, invalid, notFound } from '#handlers/errors.ts'
import type { DnsAccess, DnsAccessOwner, DnsAccessPort } from '#handlers/ports/host/dns-access.ts'
import type { Log } from '#handlers/ports/log.ts'
import type { AccountLock, Registry } from '../../registry/types.ts'
import type { AccessFiles, KeptAccess } from './access-files.ts'
import type { DnsPublisher } from './dns-publisher.ts'
import { createDnsPublisher, isShownByAll } from './dns-publisher.ts'
import type { DnsOptions, LookUp } from './look-up.ts'
import type { PendingRecords } from './pending-records.ts'
import { challengeName, followChallenge, placeChallenge, provedName } from './place-challenge.ts'
import type { AcmeDns } from './providers/acme-dns.ts'
import type { ZoneUpdates } from './update-zone.ts'

/** What orders need of the DNS, and the port by which access to zones is kept. */
export interface DnsService {
  port: DnsAccessPort
  /**
   * Whether an access of the owner covers the record that proves a name, for each of the names, also
   * where CNAME records lead away from it.
   */
  coversOf(username: string | null, names: readonly string[]): Promise<(name: string) => DnsCover>
  publisher(username: string | null): DnsPublisher
  /** The record that proves a name, whoever may set it; `reason`: CNAME records lead nowhere. */
  placeOf(name: string): Promise<{ record: string } | { reason: string }>
  /** Whether all servers of its zone show a text record. */
  isShown(record: string, text: string): Promise<boolean>
  /** Why no certificate of the authority may be had for a name; null: nothing is known against it. */
  refusal(name: string, identities: readonly string[] | null): Promise<string | null>
  /** Forgets all access of an account that goes. */
  forget(username: string): void
  /** Removes records that a crash, or a server that did not answer, left in zones. Never rejects. */
  settle(of?: DnsAccessOwner): Promise<void>
}

const MAX_OF_ONE = 20

const shown = (access: KeptAccess): DnsAccess => {
  const { name, kind, server, zone, key_name, target, created_at } = access
  return { name, kind, server, zone, key_name, target, created_at }
}

export const createDnsService = (deps: {
  registry: Pick<Registry, 'account'>
  lock: AccountLock
  files: AccessFiles
  register: AcmeDns['register']
  updates: ZoneUpdates
  lookUp: LookUp
  pending: PendingRecords
  options: DnsOptions
  log: Log
}): DnsService => {
  const { registry, files, updates, lookUp, pending, options, log } = deps
  const lock = <T>(username: string | null, work: () => Promise<T>): Promise<T> =>
    deps.lock(`DNS access of ${username ?? 'the panel'}`, work)
  const requireOwner = (username: string | null): void => {
    if (username !== null && registry.account(username) === null)
      throw notFound(`There is no account ${username}.`)
  }

  /** Sets a record and takes it back; its text is as long as those of authorities, which some servers look at. */
  const tryOut = async (access: KeptAccess): Promise<void> => {
    const value = randomBytes(32).toString('base64url')
    const record = { name: access.target ?? challengeName(access.zone), value }
    await updates.add(access, record)
    await updates.remove(access, record)
  }

  const port: DnsAccessPort = {
    async list({ username }) {
      requireOwner(username)
      return files.of(username).map(shown)
    },
    add: ({ username, access }) =>
      lock(username, async () => {
        requireOwner(username)
        const all = files.of(username)
        if (all.some(({ name }) => name === access.name))
          throw conflict(`There is a DNS access "${access.name}" already.`, 'name')
        if (all.length >= MAX_OF_ONE)
          throw conflict(`There are ${MAX_OF_ONE} DNS accesses already. Remove one first.`)
        const registration =
          access.kind === 'acme-dns' ? await deps.register({ ...access }) : undefined
        const made = {
          ...{ ...access, created_at: timestamp(Date.now()) },
          target: registration?.target ?? null,
          ...(registration === undefined ? {} : { registration }),
        }
        await tryOut(made)
        // The trial took its time; the account may be gone.
        requireOwner(username)
        files.put(username, [...all, made])
        return shown(made)
      }),
    change: ({ username, name, change }) =>
      lock(username, async () => {
        requireOwner(username)
        const all = files.of(username)
        const before = all.find((one) => one.name === name)
        if (before === undefined) throw notFound(`There is no DNS access "${name}".`)
        const changed = changedAccess(before, change)
        if ('unfitting' in changed) throw invalid(...changed.unfitting)
        await tryOut(changed)
        requireOwner(username)
        files.put(username, [...all.filter((one) => one.name !== name), changed])
        return shown(changed)
      }),
    remove: ({ username, name }) =>
      lock(username, async () => {
        const all = files.of(username)
        const left = all.filter((one) => one.name !== name)
        if (left.length === all.length) throw notFound(`There is no DNS access "${name}".`)
        files.put(username, left)
      }),
  }

  return {
    port,
    async coversOf(username, names) {
      const all = files.of(username)
      const bases = [...new Set(names.map(provedName))]
      const places = await Promise.all(
        bases.map(async (base): Promise<[string, DnsCover]> => {
          const place = await placeChallenge(lookUp, all, base)
          if (!('reason' in place)) return [base, true]
          return [base, place.isAway ? { reason: place.reason } : false]
        }),
      )
      const found = new Map(places)
      return (name) => found.get(provedName(name)) ?? false
    },
    publisher: (username) =>
      createDnsPublisher({
        ...{ username, updates, lookUp, pending, options, log },
        all: files.of(username),
      }),
    placeOf: (name) => followChallenge(lookUp, name),
    async isShown(record, text) {
      const servers = await lookUp.serversOf(record)
      return isShownByAll(await Promise.all(servers.map((one) => lookUp.shows(one, record, text))))
    },
    async refusal(name, identities) {
      const base = wildcardBase(name)
      const records = await lookUp.caaOf(provedName(name))
      const refused = caaRefusal(records, base !== null, identities)
      return refused === null
        ? null
        : `The DNS of ${name} has ${refused}. Add one for this authority, or remove it.`
    },
    forget: (username) => files.put(username, []),
    async settle(of) {
      for (const note of pending.left()) {
        try {
          const record = pending.read(note)
          const { username, access: name } = record
          if (of !== undefined && of.username !== username) continue
          const access = files.of(username).find((one) => one.name === name)
          // Without the key nobody here can remove it any more.
          if (access !== undefined) await updates.remove(access, record)
          pending.forget(note)
        } catch (error) {
          log.warn('a record of a challenge was not removed yet', { error: String(error) })
        }
      }
    },
  }
}
