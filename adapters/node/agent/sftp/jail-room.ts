import {
  closeSync,
  constants,
  mkdirSync,
  openSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { newMountNamespace, ran } from '../../process/account-rooms.ts'
import { mustRun } from '../../process/run-command.ts'

/** How something is mounted. */
export interface MountOptions {
  /** Default: nothing in it is a device or is run, with no other rights than its user's. */
  flags?: readonly string[]
  /** Of a new file system; default: the source is a directory or file that there is. */
  type?: string
  /** With what is mounted in it. */
  recursive?: boolean
}

const USUAL_FLAGS = ['nosuid', 'nodev', 'noexec']

/**
 * A file system in memory that lies in a mount namespace of its own: what is mounted in it
 * is nowhere in the machine's tree. It is entered through one link alone, which the kernel
 * resolves into that namespace (proc(5), `/proc/<pid>/fd`), and which nothing that removes,
 * copies or changes a tree follows. With this process it ends, however that ends.
 */
export interface JailRoom {
  /** Its top, for this process. */
  top: string
  /** Whether the link still leads here. */
  isLinked(): boolean
  /** The file of its namespace. */
  namespace: string
  mount(source: string, below: string, how?: MountOptions): Promise<void>
  /** By the place that is to be seen no more. */
  unmount(below: string): Promise<void>
  close(): void
}

const linkOf = (link: string): string | null => {
  try {
    return readlinkSync(link)
  } catch {
    return null
  }
}

/** `link` is where others enter it; whatever link stood there is replaced. */
export const makeJailRoom = (link: string): JailRoom => {
  // The namespace has nothing else to do with that place, so it needs none that stays.
  const place = dirname(link)
  mkdirSync(place, { recursive: true, mode: 0o755 })
  let descriptor = -1
  const namespace = newMountNamespace((holder) => {
    const options = ['-t', 'tmpfs', '-o', 'mode=0755,nosuid,nodev,noexec']
    ran('/usr/bin/nsenter', [
      `--mount=/proc/${holder}/ns/mnt`,
      ...['--', '/usr/bin/mount', ...options, '--', 'berth-sftp', place],
    ])
    const directory = constants.O_RDONLY | constants.O_DIRECTORY
    descriptor = openSync(`/proc/${holder}/root${place}`, directory)
  })
  const close = (): void => {
    for (const one of [descriptor, namespace]) closeSync(one)
  }
  const target = `/proc/${process.pid}/fd/${descriptor}`
  const within = (program: string, ...args: string[]): Promise<unknown> =>
    mustRun('/usr/bin/nsenter', [
      `--mount=/proc/${process.pid}/fd/${namespace}`,
      ...['--', program, ...args],
    ])
  try {
    rmSync(`${link}.new`, { force: true })
    symlinkSync(target, `${link}.new`)
    renameSync(`${link}.new`, link)
  } catch (error) {
    close()
    throw error
  }
  return {
    top: target,
    namespace: `/proc/${process.pid}/fd/${namespace}`,
    isLinked: () => linkOf(link) === target,
    async mount(source, below, { flags = USUAL_FLAGS, type, recursive = false } = {}) {
      const how = type === undefined ? [recursive ? '--rbind' : '--bind'] : ['-t', type]
      // A flag would hold for the top alone; what is mounted in it has its own.
      const options = recursive ? [] : ['-o', flags.join(',')]
      await within(
        '/usr/bin/mount',
        ...['--no-canonicalize', ...how, ...options, '--', source, `${place}/${below}`],
      )
    },
    async unmount(below) {
      // Lazily: where it is still in use nobody may find it any more all the same.
      await within('/usr/bin/umount', '--lazy', '--no-canonicalize', '--', `${place}/${below}`)
    },
    close() {
      if (linkOf(link) === target) rmSync(link, { force: true })
      close()
    },
  }
}
