import { isInZone, type DnsProvider } from '#handlers/domain/certificates/dns-access.ts'
import type { KeptAccess } from '../access-files.ts'
import { requireGood, type TextRecord, type ZoneUpdates } from '../update-zone.ts'
import { cloudflareRecords } from './cloudflare.ts'
import { desecRecords } from './desec.ts'
import { providerFailure } from './provider-call.ts'

const BASES: Record<DnsProvider, string> = {
  cloudflare: 'https://api.cloudflare.com/client/v4',
  desec: 'https://desec.io/api/v1',
}

/** Changes zones by the APIs of providers, at their own addresses unless told others. */
export const createProviderUpdates = (bases: Partial<Record<DnsProvider, string>>): ZoneUpdates => {
  const turns = new Map<string, Promise<void>>()
  /** One after the other in a zone, since some are read, changed and written back. */
  const inTurn = (access: KeptAccess, work: () => Promise<void>): Promise<void> => {
    const key = `${access.kind} ${access.zone}`
    const done = (turns.get(key) ?? Promise.resolve()).catch(() => {}).then(work)
    turns.set(key, done)
    const forget = (): void => {
      if (turns.get(key) === done) turns.delete(key)
    }
    void done.then(forget, forget)
    return done
  }
  const recordsOf = (access: KeptAccess, record: TextRecord) => {
    requireGood(record)
    if (!isInZone(record.name, access.zone) || record.name === access.zone)
      throw providerFailure(access, `${record.name} is not in its zone. Correct the zone`)
    if (access.kind === 'cloudflare')
      return cloudflareRecords(access, bases.cloudflare ?? BASES.cloudflare)
    return desecRecords(access, bases.desec ?? BASES.desec)
  }
  return {
    add: (access, record) => inTurn(access, async () => recordsOf(access, record).add(record)),
    remove: (access, record) =>
      inTurn(access, async () => recordsOf(access, record).remove(record)),
  }
}
