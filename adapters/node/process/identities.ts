import { readFileSync } from 'node:fs'
import type { RunAs } from './as-user.ts'

/** OS users and groups that the processes run as; see `ensureIdentities` of the supervisor. */
export const PANEL_USER = 'berth'
export const WEB_USER = 'berth-web'
/** Reads homes for snapshots; owns their repositories on this host. */
export const BACKUP_USER = 'berth-backup'
/** Runs the web tool of databases. */
export const TOOL_USER = 'berth-tool'
/** Reads and sends mail of accounts. */
export const MAIL_USER = 'berth-mail'
/** Ends TLS for panels on other machines. */
export const LINK_USER = 'berth-link'
/** Group that may read `berth.toml`. */
export const CONF_GROUP = 'berth-conf'

export interface Identities {
  /** Whether this process is root; otherwise everything is null: one user does it all. */
  root: boolean
  panel: RunAs | null
  web: RunAs | null
  backup: RunAs | null
  link: RunAs | null
  confGid: number | null
}

const rowsOf = (file: string): string[][] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .map((line) => line.split(':'))

const userNamed = (name: string, rows: string[][]): RunAs | null => {
  const row = rows.find(([first]) => first === name)
  if (row === undefined) return null
  return { uid: Number(row[2]), gid: Number(row[3]), groups: 'init' }
}

/** A system user by its name, as `/etc/passwd` has it now; null when there is none. */
export const findUser = (name: string): RunAs | null => userNamed(name, rowsOf('/etc/passwd'))

/** The number of a group by its name, as `/etc/group` has it now; null when there is none. */
export const findGroup = (name: string): number | null => {
  const row = rowsOf('/etc/group').find(([first]) => first === name)
  return row === undefined ? null : Number(row[2])
}

/**
 * Looks up the users of the unprivileged processes. Read from the files that
 * `useradd --system` writes, so nothing is started and no name service is asked.
 * Null for what does not exist (yet), and all null when not root.
 */
export const loadIdentities = (): Identities => {
  if (process.getuid?.() !== 0)
    return { root: false, panel: null, web: null, backup: null, link: null, confGid: null }
  const users = rowsOf('/etc/passwd')
  return {
    root: true,
    panel: userNamed(PANEL_USER, users),
    web: userNamed(WEB_USER, users),
    backup: userNamed(BACKUP_USER, users),
    link: userNamed(LINK_USER, users),
    confGid: findGroup(CONF_GROUP),
  }
}
