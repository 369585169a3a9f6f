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
import type { SessionMessage } from './read-message.ts'

/** Who logged in, until the panel has it all. */
export interface LoginJournal {
  /** `account`: whose; `username`: the name that was logged in with. */
  note(account: string, username: string, message: SessionMessage): void
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
const WRITE_AFTER_MS = 1000

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
  const look = (): void => {
    for (const [process, { login, identity }] of open)
      if (identity === null || !isSameProcessAlive(identity)) {
        open.delete(process)
        end(login)
      }
    for (const child of parents.keys()) if (identifyProcess(child) === null) parents.delete(child)
    if (open.size === 0) {
      clearInterval(looking)
      looking = undefined
    }
  }
  let looking: NodeJS.Timeout | undefined
  // Sessions end with the agent that kept their jails.
  for (const login of logins) if (login.endedAt === null) end(login)

  const begin = (account: string, username: string, process: number, keyId: number | null) => {
    const before = open.get(process)
    if (before !== undefined && before.identity !== null && isSameProcessAlive(before.identity))
      return
    if (before !== undefined) end(before.login)
    const login: HostLogin = {
      ...{ id: randomUUID(), version: 0, account, username },
      ...{ beganAt: timestamp(nowMs()), endedAt: null, address: null },
      ...{ way: keyId === null ? 'password' : 'key', keyId },
      ...{ changes: 0, receivedBytes: 0, sentBytes: 0 },
    }
    logins.push(login)
    if (logins.length > MOST_KEPT) logins = logins.slice(-MOST_KEPT)
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
  const withParent = (username: string, child: number, change: (login: HostLogin) => void) =>
    void parents.get(child)?.then((parent) => {
      if (parent !== null) withLogin(username, parent, change)
    })

  return {
    note(account, username, message) {
      const { process } = message
      switch (message.kind) {
        case 'began':
          return begin(account, username, process, message.keyId)
        case 'located':
          return withLogin(username, process, (login) => (login.address ??= message.address))
        case 'ended':
          withLogin(username, process, (login) => (login.endedAt = timestamp(nowMs())))
          if (open.get(process)?.login.username === username) open.delete(process)
          return
        case 'opened':
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
    since(after) {
      look()
      const before = logins.length
      logins = logins.filter((login) => login.endedAt === null || login.version > after)
      if (logins.length < before) writing ??= setTimeout(write, WRITE_AFTER_MS).unref()
      return logins
        .filter((login) => login.version > after)
        .sort((one, other) => one.version - other.version)
        .slice(0, MOST_ANSWERED)
        .map((login) => ({ ...login }))
    },
    forget(account) {
      logins = logins.filter((login) => login.account !== account)
      for (const [process, { login }] of open) if (login.account === account) open.delete(process)
      writing ??= setTimeout(write, WRITE_AFTER_MS).unref()
    },
    close() {
      clearInterval(looking)
      looking = undefined
      for (const { login } of open.values()) end(login)
      open.clear()
      if (writing !== undefined) write()
    },
  }
}
