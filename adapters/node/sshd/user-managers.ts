import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Log } from '#handlers/ports/log.ts'
import { writeWhole } from '../layout/write-whole.ts'
import { mustRun } from '../process/run-command.ts'

/** Keeps systemd's services of users from accounts; see `createUserManagers`. */
export interface UserManagers {
  /** From these and from nobody else; what runs of it is ended. */
  keepOutAll(uids: readonly number[]): Promise<void>
  keepOut(uid: number): void
  /**
   * Of an account that is being deleted: the number may be another user's from now on. What logind keeps for the account
   * (that it lingers, its service, `/run/user/UID` with what lies there) goes first.
   */
  letGo(account: { username: string; uid: number }): Promise<void>
}

/** Who may have services without being logged in: a file by each name (systemd-logind). */
export const LINGER = '/var/lib/systemd/linger'

const NAME = 'berth.conf'
/**
 * The service does nothing in place of systemd's work, and counts as running: where it were only skipped, logind
 * would ask for it without a pause as long as the user lingers.
 */
const TEXT = `# Written by Berth: an account has no systemd of its own (docs/service.md).
[Service]
Type=oneshot
RemainAfterExit=yes
PAMName=
ExecStart=
ExecStart=/bin/true
`

interface UserManagersDeps {
  /** Where the units of the machine lie. */
  units: string
  /** Who lingers: a file by each name. */
  linger: string
  /** What logind keeps for users: a directory by each number. */
  runtime: string
  /** Rejects where it fails. */
  systemctl(...args: string[]): Promise<unknown>
}
const OF_MACHINE: UserManagersDeps = {
  units: '/etc/systemd/system',
  linger: LINGER,
  runtime: '/run/user',
  systemctl: (...args) => mustRun('/usr/bin/systemctl', ['--no-ask-password', ...args]),
}

const isWritten = (file: string): boolean => existsSync(file) && readFileSync(file, 'utf8') === TEXT

const directoryOf = (uid: number): string => `user@${uid}.service.d`

/**
 * Keeps `user@UID.service` from accounts. Where the machine has pam_systemd, every log-in starts it, also one over SFTP:
 * a systemd that runs as the account, outside of its jail, room and group, whatever the account's home has as
 * `.config/systemd/user/default.target.wants/*.service`.
 */
export const createUserManagers = (
  log: Log,
  { units, linger, runtime, systemctl }: UserManagersDeps = OF_MACHINE,
): UserManagers => {
  const careful = (uid: number, work: () => void): void => {
    try {
      work()
    } catch (error) {
      log.error('an account may have a systemd of its own', { uid, error: String(error) })
    }
  }
  const keepOut = (uid: number): void =>
    careful(uid, () => {
      const directory = join(units, directoryOf(uid))
      mkdirSync(directory, { recursive: true, mode: 0o755 })
      writeWhole(join(directory, NAME), TEXT, { mode: 0o644 })
    })
  const letIn = (uid: number): void =>
    careful(uid, () => {
      const directory = join(units, directoryOf(uid))
      rmSync(join(directory, NAME), { force: true })
      if (existsSync(directory) && readdirSync(directory).length === 0)
        rmSync(directory, { recursive: true })
    })
  return {
    keepOut,
    async letGo({ username, uid }) {
      try {
        // First: logind starts the service of who lingers anew.
        rmSync(join(linger, username), { force: true })
        if (existsSync(join(runtime, String(uid))))
          await systemctl('stop', '--', `user@${uid}.service`, `user-runtime-dir@${uid}.service`)
      } catch (error) {
        log.error('logind keeps something of a deleted account', { uid, error: String(error) })
      }
      letIn(uid)
    },
    async keepOutAll(uids) {
      for (const name of existsSync(units) ? readdirSync(units) : []) {
        const uid = Number(/^user@(\d+)\.service\.d$/.exec(name)?.[1])
        if (!Number.isNaN(uid) && !uids.includes(uid)) letIn(uid)
      }
      const fresh = uids.filter((uid) => !isWritten(join(units, directoryOf(uid), NAME)))
      if (fresh.length === 0) return
      for (const uid of fresh) keepOut(uid)
      try {
        await systemctl('daemon-reload')
        await systemctl('try-restart', '--', ...fresh.map((uid) => `user@${uid}.service`))
      } catch (error) {
        log.error('a systemd of an account may go on', { error: String(error) })
      }
    },
  }
}
