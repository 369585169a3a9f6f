import { inMegabytes, MEGABYTE } from '../../../domain/text/megabyte.ts'
import type { DiskFiller, MachineDisk } from '../../../ports/host/machine.ts'
import type { MachineDiagnosis } from './judgement.ts'

/** Below this something fails soon: a dump, a certificate, a page that is stored. Of small disks it is a part. */
const FULL_BYTES = 256 * MEGABYTE
const FULL_FILES = 5000
const FULL_PART = 0.05
/**
 * Below this somebody should see to it: with a tenth left, a backup of a large account
 * or a day of logs may take the rest. On large disks a tenth is plenty, so 10 GB will do.
 */
const LOW_BYTES = 10_000 * MEGABYTE
const LOW_FILES = 100_000
const LOW_PART = 0.1
/** As many as one reads. */
const NAMED_FILLERS = 5

/** Homes as the records have them: what each account uses, as it was counted last. */
export interface RecordedUse {
  username: string
  home: string
  usedMb: number
}

type Shortage = { level: 'fault' | 'warning'; what: string }

const isBelow = (free: number, total: number, most: number, part: number): boolean =>
  free < Math.min(most, total * part)

/** What a disk is short of; null: nothing. */
export const shortageOf = (disk: MachineDisk): Shortage | null => {
  const { freeBytes, totalBytes, freeFiles, totalFiles } = disk
  const space = `${inMegabytes(freeBytes)} of ${inMegabytes(totalBytes)} are free`
  const files = `${freeFiles} of ${totalFiles} are free`
  if (isBelow(freeBytes, totalBytes, FULL_BYTES, FULL_PART))
    return { level: 'fault', what: `is full: ${space}` }
  if (totalFiles > 0 && isBelow(freeFiles, totalFiles, FULL_FILES, FULL_PART))
    return { level: 'fault', what: `can hold no more files: ${files}` }
  if (isBelow(freeBytes, totalBytes, LOW_BYTES, LOW_PART))
    return { level: 'warning', what: `is nearly full: ${space}` }
  if (totalFiles > 0 && isBelow(freeFiles, totalFiles, LOW_FILES, LOW_PART))
    return { level: 'warning', what: `can soon hold no more files: ${files}` }
  return null
}

const isBelowPath = (path: string, directory: string): boolean =>
  directory === '/' || path === directory || path.startsWith(`${directory}/`)

/** The mount that a path lies on, of those that are known. */
const mountOf = (path: string, disks: readonly MachineDisk[]): string | null =>
  disks
    .map(({ mount }) => mount)
    .filter((mount) => isBelowPath(path, mount))
    .sort((a, b) => b.length - a.length)[0] ?? null

/** The largest that lie on a disk, in words; empty: none is known. */
const fillersOn = (
  disk: MachineDisk,
  disks: readonly MachineDisk[],
  fillers: readonly DiskFiller[],
  uses: readonly RecordedUse[],
): string => {
  const found = [
    ...fillers
      .filter(({ mount }) => mount === disk.mount)
      .map(({ what, path, bytes, files, complete }) => ({
        bytes,
        text: `${what} ${complete ? '' : 'at least '}${inMegabytes(bytes)} in ${files} files (${path})`,
      })),
    ...uses
      .filter(({ home }) => mountOf(home, disks) === disk.mount)
      .map(({ username, usedMb }) => ({
        bytes: usedMb * MEGABYTE,
        text: `home of ${username} ${inMegabytes(usedMb * MEGABYTE)}`,
      })),
  ]
  return found
    .filter(({ bytes }) => bytes >= MEGABYTE)
    .sort((a, b) => b.bytes - a.bytes)
    .slice(0, NAMED_FILLERS)
    .map(({ text }) => text)
    .join(', ')
}

const fixOf = (disk: MachineDisk, filled: string): string =>
  [
    'Free some space there, or give it a larger disk: old backups (berth backups cleanup), logs, and large homes (berth accounts list --sort disk_used_mb --order desc) first.',
    ...(filled === '' ? [] : [`Largest that is known: ${filled}.`]),
    ...(disk.holds.length === 0 ? [] : [`It holds: ${disk.holds.join(', ')}.`]),
  ].join(' ')

/** File systems on which the next write fails, or will soon. */
export const judgeDisks = (
  disks: readonly MachineDisk[],
  fillers: readonly DiskFiller[],
  uses: readonly RecordedUse[],
): MachineDiagnosis[] =>
  disks.flatMap((disk) => {
    if (disk.readOnly)
      return {
        kind: 'disk' as const,
        subject: disk.mount,
        what: 'is mounted read-only',
        why: `Nothing can be written there (${disk.holds.join(', ')}); the kernel does that when a disk fails.`,
        fix: `Look into dmesg for errors of the disk, check it with fsck, then: mount -o remount,rw ${disk.mount}`,
      }
    const shortage = shortageOf(disk)
    if (shortage === null) return []
    return {
      kind: 'disk' as const,
      subject: disk.mount,
      ...shortage,
      why: 'Backups, uploads, certificates, databases and logs that are written there fail; sites go on being served.',
      fix: fixOf(disk, fillersOn(disk, disks, fillers, uses)),
    }
  })
