import { join } from 'node:path'
import type { Log } from '#handlers/ports/log.ts'
import type { AccountLock, Registry } from '../../registry/types.ts'
import { createAccessFiles } from './access-files.ts'
import type { DnsService } from './dns-service.ts'
import { createDnsService } from './dns-service.ts'
import type { DnsOptions } from './look-up.ts'
import { createLookUp } from './look-up.ts'
import { createPendingRecords } from './pending-records.ts'
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
  return createDnsService({
    ...{ registry, lock, options, log },
    files: createAccessFiles(join(directory, 'access')),
    updates: createZoneUpdates({ asRoot, mayBeLocal }),
    lookUp: createLookUp(options, mayBeLocal),
    pending: createPendingRecords(join(directory, 'pending')),
  })
}
