import { join } from 'node:path'
import { isProvider } from '#handlers/domain/certificates/dns-access.ts'
import type { Log } from '#handlers/ports/log.ts'
import type { AccountLock, Registry } from '../../registry/types.ts'
import { createAccessFiles, type KeptAccess } from './access-files.ts'
import type { DnsService } from './dns-service.ts'
import { createDnsService } from './dns-service.ts'
import type { DnsOptions } from './look-up.ts'
import { createLookUp } from './look-up.ts'
import { createPendingRecords } from './pending-records.ts'
import { createAcmeDns } from './providers/acme-dns.ts'
import { createProviderUpdates } from './providers/provider-updates.ts'
import type { ZoneUpdates } from './update-zone.ts'
import { createZoneUpdates } from './update-zone.ts'

/** Proofs by DNS, whose access and open records are kept in `directory`, root's alone. */
export const composeDns = (deps: {
  registry: Pick<Registry, 'account'>
  lock: AccountLock
  asRoot: boolean
  directory: string
  /** Whether servers outside of the internet may be asked and changed. */
  mayBeLocal: boolean
  options?: DnsOptions
  log: Log
}): DnsService => {
  const { registry, lock, asRoot, directory, mayBeLocal, options = {}, log } = deps
  const servers = createZoneUpdates({ asRoot, mayBeLocal })
  const providers = createProviderUpdates(options.providers ?? {})
  const acmeDns = createAcmeDns(mayBeLocal)
  const wayOf = ({ kind }: KeptAccess): ZoneUpdates => {
    if (kind === 'acme-dns') return acmeDns.updates
    return isProvider(kind) ? providers : servers
  }
  return createDnsService({
    ...{ registry, lock, options, log },
    files: createAccessFiles(join(directory, 'access')),
    register: acmeDns.register,
    updates: {
      add: (access, record) => wayOf(access).add(access, record),
      remove: (access, record) => wayOf(access).remove(access, record),
    },
    lookUp: createLookUp(options, mayBeLocal),
    pending: createPendingRecords(join(directory, 'pending')),
  })
}
