import type { HostInspection, InspectedDisk } from '../../ports/host/inspection.ts'
import type { Diagnosis } from './finding.ts'

const MIB = 2 ** 20
/** Below this something fails soon: a dump, a certificate, a page that is stored. Of small ones it is a part. */
const LOW_BYTES = 256 * MIB
const LOW_FILES = 5000
const LOW_PART = 0.05

const megabytes = (bytes: number): string => `${Math.floor(bytes / MIB)} MB`

const problemOf = ({ freeBytes, totalBytes, freeFiles, totalFiles }: InspectedDisk) => {
  if (freeBytes < Math.min(LOW_BYTES, totalBytes * LOW_PART))
    return `is full: ${megabytes(freeBytes)} of ${megabytes(totalBytes)} are free`
  if (totalFiles > 0 && freeFiles < Math.min(LOW_FILES, totalFiles * LOW_PART))
    return `can hold no more files: ${freeFiles} of ${totalFiles} are free`
  return null
}

/** File systems on which the next write may fail. */
export const compareDisks = ({ disks }: HostInspection): Diagnosis[] =>
  disks.flatMap((disk) => {
    const problem = problemOf(disk)
    if (problem === null) return []
    return {
      kind: 'disk' as const,
      subject: disk.path,
      what: problem,
      fix: 'Free some space there, or give it a larger disk: old backups (berth backups cleanup), logs, and large homes (berth accounts list --sort disk_used_mb --order desc) first.',
      repair: null,
      username: null,
    }
  })
