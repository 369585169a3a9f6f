import type { MachineMemory } from '../../../ports/host/machine.ts'
import type { MachineDiagnosis } from './judgement.ts'
import { MEBIBYTE } from '../../../domain/text/megabyte.ts'

/** With less than this left the next PHP master, dump or worker may be the one that is ended. */
const LOW_PART = 0.05
const LOW_BYTES = 512 * MEBIBYTE
/** With hardly any left, and no swap either, it is a matter of seconds. */
const OUT_PART = 0.02
const OUT_BYTES = 128 * MEBIBYTE
/** Swap that is as good as used up: the machine lives on borrowed memory. */
const SWAP_LEFT_PART = 0.1
/** A machine this small needs swap for peaks such as a dump beside an update. */
const SMALL_BYTES = 2 * 1024 * MEBIBYTE
/** Everything waiting for memory for a tenth of the time is felt by every visitor. */
const STALLED_PERCENT = 10

const megabytes = (bytes: number): string => `${Math.floor(bytes / MEBIBYTE)} MiB`

const FIX =
  'Look for what takes it (berth accounts list, top), lower [php] max_children or the memory of plans, or give the machine more.'

/** Memory and swap. */
export const judgeMemory = (memory: MachineMemory): MachineDiagnosis[] => {
  const { totalBytes, availableBytes, swapTotalBytes, swapFreeBytes } = memory
  const found: MachineDiagnosis[] = []
  const add = (level: 'fault' | 'warning', subject: string, what: string, fix = FIX): void =>
    void found.push({ kind: 'memory', level, subject, what, fix })
  const left = `${megabytes(availableBytes)} of ${megabytes(totalBytes)} are left`
  const swapIsUsed = swapFreeBytes <= swapTotalBytes * SWAP_LEFT_PART
  if (availableBytes < Math.min(OUT_BYTES, totalBytes * OUT_PART) && swapIsUsed)
    add('fault', 'memory', `is used up: ${left}`)
  else if (availableBytes < Math.min(LOW_BYTES, totalBytes * LOW_PART))
    add('warning', 'memory', `is low: ${left}`)
  if (swapTotalBytes > 0 && swapIsUsed)
    add(
      'warning',
      'swap',
      `is used up: ${megabytes(swapFreeBytes)} of ${megabytes(swapTotalBytes)} are left`,
    )
  if (swapTotalBytes === 0 && totalBytes < SMALL_BYTES)
    add(
      'warning',
      'swap',
      `there is none, with ${megabytes(totalBytes)} of memory`,
      'Add a swap file of 1 GB, e.g.: fallocate -l 1G /swapfile, chmod 600 /swapfile, mkswap /swapfile, swapon /swapfile, and a line in /etc/fstab.',
    )
  if (memory.stalledPercent !== null && memory.stalledPercent >= STALLED_PERCENT)
    add(
      'warning',
      'memory',
      `kept everything waiting ${memory.stalledPercent} % of the last five minutes`,
    )
  if (memory.killed !== null && memory.killed > 0)
    add(
      'warning',
      'memory',
      `ran out: the kernel ended ${memory.killed} ${memory.killed === 1 ? 'process' : 'processes'} since the agent was started`,
      `dmesg names what was ended. ${FIX}`,
    )
  return found
}
