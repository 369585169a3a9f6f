import { spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  readlinkSync,
} from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Log } from '#handlers/ports/log.ts'
import { CLEAN_ENV } from './clean-env.ts'

/** How accounts are kept apart on this machine. */
export interface AccountRoomsOptions {
  /** Holds a directory for each account, which is its `/tmp`; made where missing. Nobody but root enters it. */
  directory: string
  /** Paths that accounts' programs need. A shared directory that one of them lies in stays as it is for all. */
  needed: readonly string[]
  log: Log
}

/** What is kept apart, as far as it was tried. */
export interface AccountRoomsState {
  /** Null: not tried yet. */
  works: boolean | null
  /** Directories that all accounts share although each should have its own. */
  shared: readonly string[]
  /** Why it does not work. */
  reason: string | null
}

/** Of all accounts together where the host does nothing about it. */
const SHARED_DIRECTORIES = ['/tmp', '/var/tmp']
const UNSHARE = '/usr/bin/unshare'
const NSENTER = '/usr/bin/nsenter'
const MOUNT = '/usr/bin/mount'
/** Ends by itself, should this process be killed meanwhile. */
const HOLDER = ['/usr/bin/sleep', '60']
const START_LIMIT_MS = 5000
const LOOK_EVERY_MS = 1
/** How long programs start without rooms after one could not be made: it need not be the kernel's last word. */
const RETRY_MS = 60_000

const isBelow = (path: string, directory: string): boolean =>
  path === directory || path.startsWith(`${directory}/`)

/** Waits for a program that takes no time; throws what it says when it fails. */
export const ran = (program: string, args: readonly string[]): void => {
  const { status, stderr, error } = spawnSync(program, args, {
    cwd: '/',
    env: CLEAN_ENV,
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
    timeout: START_LIMIT_MS,
  })
  if (status === 0) return
  throw new Error(`${program} ${args.join(' ')}: ${error?.message ?? stderr.trim()}`)
}

const sleepMs = (ms: number): void =>
  void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)

/**
 * A new mount namespace, kept by a descriptor; what the host mounts later appears in it too.
 * `prepare` may use a process that lives in it meanwhile.
 */
export const newMountNamespace = (prepare: (holder: number) => void = () => undefined): number => {
  const own = readlinkSync('/proc/self/ns/mnt')
  const holder = spawn(UNSHARE, ['--mount', '--propagation', 'slave', '--', ...HOLDER], {
    cwd: '/',
    env: CLEAN_ENV,
    stdio: 'ignore',
  })
  let failure: Error | null = null
  holder.on('error', (error) => (failure = error))
  const { pid } = holder
  if (pid === undefined) throw failure ?? new Error(`${UNSHARE} cannot be started`)
  try {
    const deadlineMs = performance.now() + START_LIMIT_MS
    // The program's name changes when unshare has done its part.
    while (readFileSync(`/proc/${pid}/comm`, 'utf8').trim() !== 'sleep') {
      if (/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8')))
        throw new Error('the kernel grants no mount namespace')
      if (performance.now() > deadlineMs) throw new Error(`${UNSHARE} does not come to an end`)
      sleepMs(LOOK_EVERY_MS)
    }
    if (readlinkSync(`/proc/${pid}/ns/mnt`) === own)
      throw new Error('the kernel grants no mount namespace')
    prepare(pid)
    return openSync(`/proc/${pid}/ns/mnt`, 'r')
  } finally {
    holder.kill('SIGKILL')
  }
}

let options: AccountRoomsOptions | null = null
let shared: readonly string[] = []
let failure: { reason: string; atMs: number } | null = null
const rooms = new Map<number, number>()

const fileOf = (descriptor: number): string => `/proc/${process.pid}/fd/${descriptor}`

/** The directory that is the `/tmp` of an account, made where it is missing. */
export const accountTmp = (directory: string, uid: number, gid: number): string => {
  const own = join(directory, String(uid))
  mkdirSync(own, { recursive: true, mode: 0o700 })
  chownSync(own, uid, gid)
  chmodSync(own, 0o700)
  return own
}

const makeRoom = (directory: string, uid: number, gid: number): number => {
  const descriptor = newMountNamespace()
  const mount = (...args: string[]): void =>
    ran(NSENTER, [`--mount=${fileOf(descriptor)}`, '--', MOUNT, ...args])
  try {
    // Of other users' processes nothing is there, not even that they run (proc(5)).
    mount('-t', 'proc', '-o', 'hidepid=2,nosuid,nodev,noexec', 'proc', '/proc')
    const own = accountTmp(directory, uid, gid)
    for (const place of SHARED_DIRECTORIES) if (!shared.includes(place)) mount('--bind', own, place)
    return descriptor
  } catch (error) {
    closeSync(descriptor)
    throw error
  }
}

/**
 * Says where accounts' programs are started from now on: each account in a mount
 * namespace of its own, in which `/proc` shows its own processes alone and `/tmp` and
 * `/var/tmp` are its own. Null: in that of the host, as before the first call.
 */
export const configureAccountRooms = (given: AccountRoomsOptions | null): void => {
  for (const descriptor of rooms.values()) closeSync(descriptor)
  rooms.clear()
  failure = null
  options = given
  if (given === null) return
  mkdirSync(given.directory, { recursive: true, mode: 0o700 })
  chmodSync(given.directory, 0o700)
  shared = SHARED_DIRECTORIES.filter((place) => given.needed.some((path) => isBelow(path, place)))
  if (shared.length > 0)
    given.log.warn('accounts share a directory for temporary files', {
      directories: shared,
      reason: 'Berth itself, or what its programs need, lies in it',
    })
}

/**
 * The file of the account's mount namespace, made at the first call (some 15 ms); null
 * where the kernel refuses, e.g. in containers without CAP_SYS_ADMIN. That is logged once
 * until one is granted, and tried again a minute later at the earliest.
 */
export const accountRoom = (uid: number, gid: number): string | null => {
  if (options === null) return null
  const known = rooms.get(uid)
  if (known !== undefined) return fileOf(known)
  if (failure !== null && performance.now() - failure.atMs < RETRY_MS) return null
  try {
    const made = makeRoom(options.directory, uid, gid)
    rooms.set(uid, made)
    failure = null
    return fileOf(made)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    if (failure === null)
      options.log.error(
        "accounts' programs run without rooms of their own: each sees the others' processes and files in /tmp",
        { uid, reason },
      )
    failure = { reason, atMs: performance.now() }
    return null
  }
}

/** Gives up the room of an account that is gone, with its temporary files. */
export const removeAccountRoom = async (uid: number): Promise<void> => {
  const known = rooms.get(uid)
  if (known !== undefined) closeSync(known)
  rooms.delete(uid)
  if (options !== null)
    await rm(join(options.directory, String(uid)), { recursive: true, force: true })
}

/** For who checks the host. */
export const accountRoomsState = (): AccountRoomsState => ({
  works: options === null || failure !== null ? false : rooms.size > 0 ? true : null,
  shared,
  reason: failure?.reason ?? null,
})
