import { readdirSync, readFileSync } from 'node:fs'

const PAGE_BYTES = 4096
const MEBIBYTE = 2 ** 20

/** Memory that the processes of a process group have in use together, in mebibytes; what they share counts for each. */
export const groupMemoryMb = (group: number): number => {
  let pages = 0
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'latin1')
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      if (Number(fields[2]) === group) pages += Number(fields[21])
    } catch {
      // It has ended meanwhile.
    }
  }
  return (pages * PAGE_BYTES) / MEBIBYTE
}
