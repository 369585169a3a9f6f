import { spawn } from 'node:child_process'
import { closeSync, constants, fstatSync, openSync, readlinkSync } from 'node:fs'
import { basename } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { notFound } from '#handlers/errors.ts'
import { asUser } from '../../../process/as-user.ts'
import { CLEAN_ENV } from '../../../process/clean-env.ts'
import type { HostAccount } from '../../accounts/account-host.ts'

/** A folder in a home that is held open, wherever it is moved to. */
export interface HeldFolder {
  descriptor: number
  dev: number
  ino: number
  /** Whether it still lies where it was opened; asks the kernel, and walks no path. */
  isInPlace(): boolean
  close(): void
}

const LIMIT_MS = 5000
const LOOK_EVERY_MS = 2
/** Ends by itself, should this process be killed meanwhile. */
const WAITER = ['/usr/bin/sleep', '20'] as const

/**
 * Opens a folder of an account as the account: a process of its own changes into it, in the
 * mount namespace of that file, and what it stands in is taken over and judged. No path in
 * the home is walked by root, and a link anywhere in the path is refused, wherever it leads.
 * 404 where it is not there, or not the account's.
 */
export const holdFolder = async (
  { uid, gid, home, username }: HostAccount,
  folder: string,
  namespace: string,
): Promise<HeldFolder> => {
  const path = `${home}/${folder}`
  const refuse = (why: string) =>
    notFound(`The folder ${folder} of ${username} ${why}. Make it, or choose another one.`)
  const { program, args } = asUser(
    { uid, gid, groups: 'none' },
    '/usr/bin/env',
    [`--chdir=${path}`, '--', ...WAITER],
    { before: [], dieWithParent: true },
  )
  const words = [`--mount=${namespace}`, '--', program, ...args]
  const child = spawn('/usr/bin/nsenter', words, { stdio: 'ignore', cwd: '/', env: CLEAN_ENV })
  const failed = new Promise<true>((resolve) => {
    child.once('error', () => resolve(true))
    child.once('exit', () => resolve(true))
  })
  try {
    const { pid } = child
    const deadlineMs = performance.now() + LIMIT_MS
    for (;;) {
      if (pid === undefined) throw refuse('cannot be looked at')
      try {
        if (basename(readlinkSync(`/proc/${pid}/exe`)) === basename(WAITER[0])) break
      } catch {
        // It has ended, or has not begun.
      }
      const ended = await Promise.race([failed, delay(LOOK_EVERY_MS, false)])
      if (ended) throw refuse('is not there')
      if (performance.now() > deadlineMs) throw refuse('cannot be opened in time')
    }
    const descriptor = openSync(`/proc/${pid}/cwd`, constants.O_RDONLY | constants.O_DIRECTORY)
    const placeOf = (): string => readlinkSync(`/proc/self/fd/${descriptor}`)
    try {
      if (placeOf() !== path) throw refuse('is not there, or a link leads to it')
      const { dev, ino, uid: owner } = fstatSync(descriptor)
      if (owner !== uid) throw refuse('belongs to somebody else')
      return {
        ...{ descriptor, dev, ino },
        isInPlace: () => placeOf() === path,
        close: () => closeSync(descriptor),
      }
    } catch (error) {
      closeSync(descriptor)
      throw error
    }
  } finally {
    child.kill('SIGKILL')
  }
}
