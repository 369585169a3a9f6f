import { accessFor, changedAccess } from '#handlers/domain/certificates/dns-access.ts'
import { wildcardBase } from '#handlers/domain/domains/wildcard-name.ts'
import { conflict, invalid, notFound, unavailable } from '#handlers/errors.ts'
import type { DnsAccessPort, NewDnsAccess } from '#handlers/ports/host/dns-access.ts'

export interface FakeDnsAccess extends DnsAccessPort {
  /** With what opens it, by owner; `null` is the panel. */
  kept: Map<string | null, (NewDnsAccess & { target: string | null })[]>
  covers(username: string | null, name: string): boolean
}

/** A token or key that nobody takes. */
export const REFUSED_SECRET = 'refusedSecretOfNobody0123456789'

/** Access to zones in memory; servers named `down.…` do not answer. */
export const createFakeDnsAccess = (hasAccount: (username: string) => boolean): FakeDnsAccess => {
  const kept: FakeDnsAccess['kept'] = new Map()
  const of = (username: string | null) => {
    if (username !== null && !hasAccount(username)) throw notFound('There is no such account.')
    return kept.get(username) ?? []
  }
  const shown = ({ secret: _, ...access }: NewDnsAccess & { target: string | null }) => ({
    ...access,
    created_at: '2026-01-01 00:00:00',
  })
  const tryOut = ({ server, zone, secret }: NewDnsAccess): void => {
    if (/^(https:\/\/)?down\./.test(server ?? zone) || secret === REFUSED_SECRET)
      throw unavailable('The DNS server does not answer.')
  }
  return {
    kept,
    covers: (username, name) => {
      const base = wildcardBase(name) ?? name
      const all = kept.get(username) ?? []
      // As if the CNAME record of each were set.
      return (
        accessFor(all, base) !== null || all.some(({ target, zone }) => target && zone === base)
      )
    },
    async list({ username }) {
      return of(username)
        .map(shown)
        .sort((a, b) => (a.name < b.name ? -1 : 1))
    },
    async add({ username, access }) {
      const all = of(username)
      if (all.some(({ name }) => name === access.name))
        throw conflict(`There is a DNS access "${access.name}" already.`, 'name')
      tryOut(access)
      const target = access.kind === 'acme-dns' ? `${access.name}.acme-dns.example` : null
      const made = { ...access, target }
      kept.set(username, [...all, made])
      return shown(made)
    },
    async change({ username, name, change }) {
      const all = of(username)
      const before = all.find((one) => one.name === name)
      if (before === undefined) throw notFound(`There is no DNS access "${name}".`)
      const changed = changedAccess(before, change)
      if ('unfitting' in changed) throw invalid(...changed.unfitting)
      tryOut(changed)
      kept.set(username, [...all.filter((one) => one !== before), changed])
      return shown(changed)
    },
    async remove({ username, name }) {
      const left = of(username).filter((one) => one.name !== name)
      if (left.length === of(username).length) throw notFound(`There is no DNS access "${name}".`)
      kept.set(username, left)
    },
  }
}
