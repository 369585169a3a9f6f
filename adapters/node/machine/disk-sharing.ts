import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { mountOf, readMounts, type Mount } from './mounts.ts'

/** Where the kernel tells of disks and of control groups. */
export interface DiskPlaces {
  mounts?: () => readonly Mount[]
  sys?: string
  groups?: string
}

const read = (file: string): string => {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch {
    return ''
  }
}

/** The disks beneath a block device: of a partition its disk, of a mapped one (LVM, encryption, RAID) those it is made of. */
const disksOf = (block: string, depth = 0): string[] => {
  const disk = existsSync(join(block, 'partition')) ? dirname(block) : block
  const slaves = join(disk, 'slaves')
  const below = depth < 8 && existsSync(slaves) ? readdirSync(slaves) : []
  return below.length === 0
    ? [disk]
    : below.flatMap((name) => disksOf(realpathSync(join(slaves, name)), depth + 1))
}

/**
 * Why the disks that a directory lies on do not share their time out by weight, for people; null:
 * they do (scheduler BFQ, or io.cost), or nobody can say, as of a part of a file system in a container.
 */
export const diskSharing = (
  directory: string,
  { mounts = readMounts, sys = '/sys', groups = '/sys/fs/cgroup' }: DiskPlaces = {},
): string | null => {
  try {
    const mount = mountOf(realpathSync(directory), mounts())
    const block = join(sys, 'dev/block', mount?.device ?? 'none')
    if (mount === null || !existsSync(block)) return null
    const cost = read(join(groups, 'io.cost.qos')).split('\n')
    const costs = (disk: string): boolean => {
      const number = `${read(join(disk, 'dev'))} `
      return cost.some((line) => line.startsWith(number) && line.includes(' enable=1'))
    }
    for (const disk of disksOf(realpathSync(block))) {
      const [, scheduler] = /\[([\w-]+)\]/.exec(read(join(disk, 'queue/scheduler'))) ?? []
      if (scheduler !== undefined && scheduler !== 'bfq' && !costs(disk))
        return `${basename(disk)} has the scheduler ${scheduler}`
    }
    return null
  } catch {
    return null
  }
}
