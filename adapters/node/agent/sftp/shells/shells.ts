import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Log } from '#handlers/ports/log.ts'
import { osUser } from '../../accounts/os-names.ts'
import { NO_SHELL, SFTP_ONLY } from '../../accounts/no-login-shell.ts'
import type { HostAccount } from '../../accounts/account-host.ts'
import { endProcesses } from '../../accounts/end-processes.ts'
import type { RegisteredAccount } from '../../registry/types.ts'
import type { JailRoom } from '../jail-room.ts'
import { setShellLogin } from '../login-groups.ts'
import { endAll } from '../end-all.ts'
import { createSharedParts } from './shared-parts.ts'
import type { RoomMode } from './login-program.ts'
import { createShellRooms, type ShellRoomsDeps } from './shell-rooms.ts'
import { processesIn } from './session-processes.ts'
import { createSessionWatch } from './session-watch.ts'

/** Shells of accounts. Whoever calls for one account holds its lock. */
export interface Shells {
  /** Whether it was said that the account has one. */
  has(username: string): boolean
  /** Why it gets none although it was said so; null: it does, or was not. */
  problem(username: string): string | null
  /** Where its room is; null: it has none. */
  pathOf(username: string): string | null
  /** Says that the account has one, one for git alone, or none; what is taken from it ends at once. */
  set(account: RegisteredAccount, wanted: RoomMode | null): Promise<void>
  /** Makes its room, if it has one and is not suspended. */
  open(account: RegisteredAccount): Promise<void>
  /** Nobody gets in any more, and who is in is put out; it stays said that it has one. */
  close(account: HostAccount): Promise<void>
  remove(account: HostAccount): Promise<void>
  /** What all rooms show of the machine's settings, as they are now. */
  refresh(): void
  /** Whose rooms there are. */
  usernames(): string[]
  /** Limits, PHP and sockets of database servers, as they are now. */
  renew(username: string): Promise<void>
  began(username: string): void
  ended(username: string): void
  /** The rooms went with what they were in. */
  forgetAll(): void
}

export interface ShellsDeps extends Omit<ShellRoomsDeps, 'room' | 'parts'> {
  room: () => JailRoom | null
  account(username: string): RegisteredAccount | null
  /** Remembers who has one, a file each, without the panel. */
  records: string
  /** Hears what its sessions say. */
  listen(username: string, directory: string): Promise<void>
  unlisten(username: string): void
  /** Throws where sshd would not keep it in its room. */
  verify(username: string): Promise<void>
  renewPages(account: HostAccount, sinceMs: number): Promise<void>
  log: Log
}

export const createShells = (deps: ShellsDeps): Shells => {
  const { log, records } = deps
  const parts = createSharedParts()
  const rooms = createShellRooms({ ...deps, parts })
  const troubles = new Map<string, string>()
  const recordOf = (username: string): string => join(records, username)
  const has = (username: string): boolean => existsSync(recordOf(username))
  /** Empty is of a time when there were shells alone. */
  const modeOf = (username: string): RoomMode =>
    readFileSync(recordOf(username), 'utf8') === 'git' ? 'git' : 'shell'
  const usernames = (): string[] =>
    (existsSync(records) ? readdirSync(records) : []).filter((one) => rooms.pathOf(one) !== null)
  const watch = createSessionWatch({
    roomOf(username) {
      const path = rooms.pathOf(username)
      const account = deps.account(username)
      return path === null || account === null ? null : { account, path }
    },
    usernames,
    renewPages: (account, sinceMs) => deps.renewPages(account, sinceMs),
    log,
  })

  /** sshd starts what passwd(5) names, which is the login program's name in the room and no other. */
  const assertNoShell = async (username: string): Promise<void> => {
    const shell = (await osUser(username))?.shell ?? ''
    if (shell !== SFTP_ONLY && shell !== NO_SHELL)
      throw new Error(
        `${username} has the shell ${shell} on this host, which would run without limits. Take it away: usermod --shell ${SFTP_ONLY} ${username}`,
      )
  }
  const close = async (account: HostAccount): Promise<void> => {
    const { username, uid } = account
    await setShellLogin(username, false)
    const path = await rooms.shut(username)
    deps.unlisten(username)
    if (path === null) return
    // Also what came in at the last moment: nobody gets to that place any more.
    await endAll(async () => (await processesIn(uid, path)).map(({ pid }) => pid)).catch(() =>
      endProcesses(account),
    )
    watch.forget(username)
    await deps.renewPages(account, Date.now() - 60_000)
    await rooms.clear(path)
  }
  const open = async (account: RegisteredAccount): Promise<void> => {
    const { username } = account
    if (!has(username) || account.suspended || deps.room() === null) return
    try {
      await assertNoShell(username)
      await rooms.open(account, modeOf(username))
      const path = rooms.pathOf(username)
      if (path === null) return
      await deps.listen(username, join(path, 'run/berth'))
      watch.start()
      await setShellLogin(username, true)
      await deps.verify(username)
      troubles.delete(username)
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error)
      troubles.set(username, problem)
      log.error('an account gets no shell', { username, problem })
      await close(account)
    }
  }

  return {
    has,
    problem: (username) => (has(username) ? (troubles.get(username) ?? null) : null),
    pathOf: (username) => rooms.pathOf(username),
    async set(account, wanted) {
      const { username } = account
      if (wanted !== null) {
        const isOther = has(username) && modeOf(username) !== wanted
        mkdirSync(records, { recursive: true, mode: 0o700 })
        writeFileSync(recordOf(username), wanted, { mode: 0o600 })
        // Who is in has what he came in with.
        if (isOther) await close(account)
        return open(account)
      }
      rmSync(recordOf(username), { force: true })
      troubles.delete(username)
      await close(account)
    },
    open,
    close,
    async remove(account) {
      rmSync(recordOf(account.username), { force: true })
      troubles.delete(account.username)
      await close(account)
    },
    refresh: () => parts.refresh(),
    usernames,
    async renew(username) {
      const account = deps.account(username)
      if (account !== null && !account.suspended) await rooms.renew(account)
    },
    began: (username) => watch.began(username),
    ended: (username) => watch.ended(username),
    forgetAll() {
      watch.end()
      rooms.forgetAll()
    },
  }
}
