import { existsSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Log } from '#handlers/ports/log.ts'
import { listeningInodes } from '../process/ports/listening-inodes.ts'
import { valuesOf, type SshdSettings } from './sshd-settings.ts'

/** Whether it is an sshd of root's; an account may start one too. */
const isSshd = (pid: number): boolean => {
  try {
    const program = basename(readlinkSync(`/proc/${pid}/exe`).replace(/ \(deleted\)$/, ''))
    return program === 'sshd' && statSync(`/proc/${pid}`).uid === 0
  } catch {
    return false
  }
}

/** The process of that file, if it is an sshd. */
export const sshdProcess = (pidFile: string | undefined): number | null => {
  if (pidFile === undefined || pidFile === 'none' || !existsSync(pidFile)) return null
  const pid = Number(readFileSync(pidFile, 'utf8').trim())
  return Number.isInteger(pid) && pid > 1 && isSshd(pid) ? pid : null
}

const portsOf = (settings: SshdSettings): Set<number> =>
  new Set(
    ['port', 'listenaddress'].flatMap((keyword) =>
      valuesOf(settings, keyword).map((value) => Number(value.slice(value.lastIndexOf(':') + 1))),
    ),
  )

/** Which sockets a process listens with at those ports; empty: none. */
const listeningWith = (pid: number, ports: ReadonlySet<number>): string => {
  const inodes = new Set([...ports].flatMap((port) => [...listeningInodes(port)]))
  try {
    return readdirSync(`/proc/${pid}/fd`)
      .map((fd) => /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1])
      .filter((inode) => inode !== undefined && inodes.has(inode))
      .sort()
      .join()
  } catch {
    return ''
  }
}

/** The sshd that listens at one of these ports; with `PidFile none` no file names it. */
const listeningSshd = (ports: ReadonlySet<number>): number | null =>
  readdirSync('/proc')
    .map(Number)
    .find((pid) => pid > 1 && isSshd(pid) && listeningWith(pid, ports) !== '') ?? null

/** It opens its ports anew, and reads some files. */
const LIMIT_MS = 10_000
const LOOK_EVERY_MS = 20

/**
 * Lets the machine's sshd read its configuration again, as its service's reload does;
 * who is logged in stays so. Answers when it has: what changes the configuration
 * sooner might be read instead. Where none runs, the next one reads it.
 */
export const reloadSshd = async (settings: SshdSettings, log: Log): Promise<void> => {
  const [pidFile] = valuesOf(settings, 'pidfile')
  const ports = portsOf(settings)
  const named = sshdProcess(pidFile)
  const pid = named ?? listeningSshd(ports)
  if (pid === null) return
  // It writes that file when it listens again; else its sockets are others then.
  const isNamed = named !== null && pidFile !== undefined
  const state = (): string =>
    isNamed
      ? String(statSync(pidFile, { throwIfNoEntry: false })?.mtimeMs ?? '')
      : listeningWith(pid, ports)
  const before = state()
  const deadlineMs = performance.now() + LIMIT_MS
  process.kill(pid, 'SIGHUP')
  while (['', before].includes(state())) {
    if (performance.now() > deadlineMs) {
      log.warn('sshd was told to read its configuration again, and has not yet', { pid })
      return
    }
    await delay(LOOK_EVERY_MS)
  }
  log.info('sshd reads its configuration again', { pid })
}
