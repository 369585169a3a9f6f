import { accessFor } from '#handlers/domain/certificates/dns-access.ts'
import { wildcardBase } from '#handlers/domain/domains/wildcard-name.ts'
import { conflict, notFound, unavailable } from '#handlers/errors.ts'
import type { DnsAccessPort, NewDnsAccess } from '#handlers/ports/host/dns-access.ts'

export interface FakeDnsAccess extends DnsAccessPort {
  /** With what opens it, by owner; `null` is the panel. */
  kept: Map<string | null, NewDnsAccess[]>
  covers(username: string | null, name: string): boolean
}

/** Access to zones in memory; servers named `down.…` do not answer. */
export const createFakeDnsAccess = (hasAccount: (username: string) => boolean): FakeDnsAccess => {
  const kept = new Map<string | null, NewDnsAccess[]>()
  const of = (username: string | null): NewDnsAccess[] => {
    if (username !== null && !hasAccount(username)) throw notFound('There is no such account.')
    return kept.get(username) ?? []
  }
  const shown = ({ secret: _, ...access }: NewDnsAccess) => ({
    ...access,
    created_at: '2026-01-01 00:00:00',
  })
  return {
    kept,
    covers: (username, name) =>
      accessFor(kept.get(username) ?? [], wildcardBase(name) ?? name) !== null,
    async list({ username }) {
      return of(username)
        .map(shown)
        .sort((a, b) => (a.name < b.name ? -1 : 1))
    },
    async add({ username, access }) {
      const all = of(username)
      if (all.some(({ name }) => name === access.name))
        throw conflict(`There is a DNS access "${access.name}" already.`, 'name')
      if (access.server.startsWith('down.')) throw unavailable('The DNS server does not answer.')
      kept.set(username, [...all, access])
      return shown(access)
    },
    async remove({ username, name }) {
      const left = of(username).filter((one) => one.name !== name)
      if (left.length === of(username).length) throw notFound(`There is no DNS access "${name}".`)
      kept.set(username, left)
    },
  }
}
