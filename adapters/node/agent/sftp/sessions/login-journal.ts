import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { z } from 'zod'
import { timestamp } from '#handlers/domain/text/timestamp.ts'
import type { HostLogin } from '#handlers/ports/host/sftp.ts'
import { writeWhole } from '../../../layout/write-whole.ts'
import {
  identifyProcess,
  isSameProcessAlive,
  type ProcessIdentity,
} from '../../../process/process-identity.ts'
import type { FailedLogin } from './read-failures.ts'
import type { SessionMessage } from './read-message.ts'

/** Who logged in or tried to, until the panel has it all. */
export interface LoginJournal {
  /** `account`: whose; `username`: the name that was logged in with. */
  note(account: string, username: string, message: SessionMessage): void
  /** A password of that name that was not taken. */
  fail(account: string, failed: FailedLogin): void
  /** What changed after that version, in this order; what the caller has in full is dropped. */
  since(version: number): HostLogin[]
  /** Those of an account that is gone. */
  forget(account: string): void
  close(): void
}

/** The panel asks every minute; of more in a time without it the oldest are lost. */
const MOST_KEPT = 5000
const MOST_ANSWERED = 500
const LOOK_EVERY_MS = 2000
/** What a session says last is read after it ended, when the machine is busy. */
const LATE_MS = 10_000
const WRITE_AFTER_MS = 1000
/** Attempts from one address in such a time are one entry. */
const TOGETHER_MS = 3_600_000
const MOST_TOGETHER = 500
/** More than a kernel has process numbers. */
const MOST_PROCESSES = 2 ** 22

const kept = z.array(
  z.object({
    id: z.uuid(),
    version: z.int(),
    account: z.string(),
    username: z.string(),
    beganAt: z.string(),
    endedAt: z.string().nullable(),
    address: z.string().nullable(),
    way: z.enum(['key', 'password']),
    // Of a journal from before these were told.
    kind: z.enum(['sftp', 'shell', 'scp', 'rsync', 'command']).nullable().default(null),
    failures: z.int().default(0),
    keyId: z.int().nullable(),
    changes: z.int(),
    receivedBytes: z.int(),
    sentBytes: z.int(),
  }),
)

const read = (file: string): HostLogin[] => {
  if (!existsSync(file)) return []
  try {
    return kept.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    // Half of it may be written by hand; log-ins from now on count more.
    return []
  }
}

const parentOf = async (pid: number): Promise<number | null> => {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  const parent = /^PPid:\s+(\d+)$/m.exec(status)?.[1]
  return parent === undefined ? null : Number(parent)
}

/** Kept at `file`; `nowMs` by the clock. */
export const createLoginJournal = (file: string, nowMs: () => number): LoginJournal => {
  let logins = read(file)
  let version = Math.max(0, ...logins.map((login) => login.version))
  /** By the process of sshd that serves the connection. */
  const open = new Map<number, { login: HostLogin; identity: ProcessIdentity | null }>()
  /** Of those that serve files, their parents in `open`. */
  const parents = new Map<number, Promise<number | null>>()
  /** When processes of these two were first missed. */
  const missed = new Map<number, number>()
  let writing: NodeJS.Timeout | undefined
  const write = (): void => {
    clearTimeout(writing)
    writing = undefined
    mkdirSync(dirname(file), { recursive: true, mode: 0o711 })
    writeWhole(file, JSON.stringify(logins), { mode: 0o600 })
  }
  const touch = (login: HostLogin): void => {
    // By the clock, so that a journal begun anew goes on behind a lost one.
    version = Math.max(nowMs(), version + 1)
    login.version = version
    writing ??= setTimeout(write, WRITE_AFTER_MS).unref()
  }
  const end = (login: HostLogin): void => {
    login.endedAt = timestamp(nowMs())
    touch(login)
  }
  /** Whether nothing more is heard of a process that is gone. */
  const isSilent = (process: number): boolean => {
    const since = missed.get(process) ?? nowMs()
    missed.set(process, since)
    if (Math.abs(nowMs() - since) < LATE_MS) return false
    missed.delete(process)
    return true
  }
  const look = (): void => {
    for (const [process, { login, identity }] of open) {
      if (identity !== null && isSameProcessAlive(identity)) continue
      if (login.endedAt === null) end(login)
      if (isSilent(process)) open.delete(process)
    }
    for (const child of parents.keys())
      if (identifyProcess(child) === null && isSilent(child)) parents.delete(child)
    if (open.size === 0) {
      clearInterval(looking)
      looking = undefined
    }
  }
  let looking: NodeJS.Timeout | undefined
  // Sessions end with the agent that kept their jails.
  for (const login of logins) if (login.endedAt === null) end(login)

  const add = (login: HostLogin): void => {
    logins.push(login)
    if (logins.length <= MOST_KEPT) return
    // Who only tries pushes nobody out who came in.
    const failed = logins.findIndex(({ failures }) => failures > 0)
    logins.splice(Math.max(0, failed), 1)
  }
  /** By name and address, the oldest first. */
  const together = new Map<string, { login: HostLogin; fromMs: number }>()

  const begin = (account: string, username: string, process: number, keyId: number | null) => {
    const before = open.get(process)
    if (before !== undefined && before.identity !== null && isSameProcessAlive(before.identity))
      return
    if (before?.login.endedAt === null) end(before.login)
    missed.delete(process)
    const login: HostLogin = {
      ...{ id: randomUUID(), version: 0, account, username },
      ...{ beganAt: timestamp(nowMs()), endedAt: null, address: null },
      ...{ way: keyId === null ? 'password' : 'key', keyId, kind: null, failures: 0 },
      ...{ changes: 0, receivedBytes: 0, sentBytes: 0 },
    }
    add(login)
    touch(login)
    open.set(process, { login, identity: identifyProcess(process) })
    looking ??= setInterval(look, LOOK_EVERY_MS).unref()
  }
  /** Of the connection that a process serves, if it is this account's. */
  const withLogin = (username: string, process: number, change: (login: HostLogin) => void) => {
    const login = open.get(process)?.login
    if (login === undefined || login.username !== username) return
    change(login)
    touch(login)
  }
  /** The connection of that name whose process began last before `child`; null: there is none. */
  const nearest = (username: string, child: number): number | null => {
    const own = [...open].filter(([, { login }]) => login.username === username)
    // The kernel counts processes up and begins anew.
    const since = (process: number): number => (child - process + MOST_PROCESSES) % MOST_PROCESSES
    return own.map(([process]) => process).sort((a, b) => since(a) - since(b))[0] ?? null
  }
  const withParent = (username: string, child: number, change: (login: HostLogin) => void) =>
    void parents.get(child)?.then((known) => {
      // One that did its work and left before it was heard of has no parent that could be asked for.
      const parent = known ?? nearest(username, child)
      if (parent !== null) withLogin(username, parent, change)
    })

  return {
    note(account, username, message) {
      const { process } = message
      switch (message.kind) {
        case 'began':
          return begin(account, username, process, message.keyId)
        case 'located':
          return withLogin(username, process, (login) => {
            login.address ??= message.address
            login.kind ??= message.asked
          })
        case 'asked':
          return withLogin(username, message.of, (login) => (login.kind ??= message.asked))
        case 'ended':
          return withLogin(username, process, (login) => (login.endedAt ??= timestamp(nowMs())))
        case 'opened':
          missed.delete(process)
          parents.set(process, parentOf(process))
          return
        case 'closed':
          withParent(username, process, () => parents.delete(process))
          return
        case 'changed':
          return withParent(username, process, (login) => (login.changes += 1))
        case 'moved':
          return withParent(username, process, (login) => {
            login.receivedBytes += message.writtenBytes
            login.sentBytes += message.readBytes
          })
      }
    },
    fail(account, { username, address, atMs }) {
      const name = `${username} ${address}`
      const known = together.get(name)
      if (known !== undefined && known.login.account === account) {
        const passed = atMs - known.fromMs
        if (passed >= 0 && passed < TOGETHER_MS) {
          known.login.failures += 1
          known.login.endedAt = timestamp(atMs)
          touch(known.login)
          if (!logins.includes(known.login)) add(known.login)
          return
        }
      }
      const login: HostLogin = {
        ...{ id: randomUUID(), version: 0, account, username, address, failures: 1 },
        ...{ beganAt: timestamp(atMs), endedAt: timestamp(atMs), way: 'password', keyId: null },
        ...{ kind: null, changes: 0, receivedBytes: 0, sentBytes: 0 },
      }
      add(login)
      touch(login)
      together.delete(name)
      together.set(name, { login, fromMs: atMs })
      const [oldest] = together.keys()
      if (together.size > MOST_TOGETHER && oldest !== undefined) together.delete(oldest)
    },
    since(after) {
      look()
      const before = logins.length
      const heard = new Set([...open.values()].map(({ login }) => login))
      logins = logins.filter(
        (login) => login.endedAt === null || login.version > after || heard.has(login),
      )
      if (logins.length < before) writing ??= setTimeout(write, WRITE_AFTER_MS).unref()
      return logins
        .filter((login) => login.version > after)
        .sort((one, other) => one.version - other.version)
        .slice(0, MOST_ANSWERED)
        .map((login) => ({ ...login }))
    },
    forget(account) {
      logins = logins.filter((login) => login.account !== account)
      for (const [name, { login }] of together) if (login.account === account) together.delete(name)
      for (const [process, { login }] of open) if (login.account === account) open.delete(process)
      writing ??= setTimeout(write, WRITE_AFTER_MS).unref()
    },
    close() {
      clearInterval(looking)
      looking = undefined
      for (const { login } of open.values()) if (login.endedAt === null) end(login)
      open.clear()
      missed.clear()
      if (writing !== undefined) write()
    },
  }
}
