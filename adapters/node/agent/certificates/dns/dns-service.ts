import { randomBytes } from 'node:crypto'
import { accessFor } from '#handlers/domain/certificates/dns-access.ts'
import { caaRefusal } from '#handlers/domain/certificates/caa.ts'
import { wildcardBase } from '#handlers/domain/domains/wildcard-name.ts'
import { timestamp } from '#handlers/domain/text/timestamp.ts'
import { conflict, notFound } from '#handlers/errors.ts'
import type { DnsAccess, DnsAccessOwner, DnsAccessPort } from '#handlers/ports/host/dns-access.ts'
import type { Log } from '#handlers/ports/log.ts'
import type { AccountLock, Registry } from '../../registry/types.ts'
import type { AccessFiles, KeptAccess } from './access-files.ts'
import type { DnsPublisher } from './dns-publisher.ts'
import { challengeName, createDnsPublisher, provedName } from './dns-publisher.ts'
import type { DnsOptions, LookUp } from './look-up.ts'
import type { PendingRecords } from './pending-records.ts'
import type { ZoneUpdates } from './update-zone.ts'

/** What orders need of the DNS, and the port by which access to zones is kept. */
export interface DnsService {
  port: DnsAccessPort
  /** Whether an access of the owner covers the name. */
  covers(username: string | null, name: string): boolean
  publisher(username: string | null): DnsPublisher
  /** Why no certificate of the authority may be had for a name; null: nothing is known against it. */
  refusal(name: string, identities: readonly string[] | null): Promise<string | null>
  /** Forgets all access of an account that goes. */
  forget(username: string): void
  /** Removes records that a crash, or a server that did not answer, left in zones. Never rejects. */
  settle(of?: DnsAccessOwner): Promise<void>
}

const MAX_OF_ONE = 20

const shown = ({ name, kind, server, zone, key_name, created_at }: KeptAccess): DnsAccess => ({
  ...{ name, kind, server, zone, key_name, created_at },
})

export const createDnsService = (deps: {
  registry: Pick<Registry, 'account'>
  lock: AccountLock
  files: AccessFiles
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
        const made = { ...access, created_at: timestamp(Date.now()) }
        const value = randomBytes(16).toString('base64url')
        const record = { name: challengeName(access.zone), value }
        await updates.add(made, record)
        await updates.remove(made, record)
        // The trial took its time; the account may be gone.
        requireOwner(username)
        files.put(username, [...all, made])
        return shown(made)
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
    covers: (username, name) => accessFor(files.of(username), provedName(name)) !== null,
    publisher: (username) =>
      createDnsPublisher({
        ...{ username, updates, lookUp, pending, options, log },
        all: files.of(username),
      }),
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
