import { readFile } from 'node:fs/promises'
import { passwdTool } from '../accounts/passwd-tools.ts'
import { osGroupId } from '../accounts/os-names.ts'
import {
  BOUND_GROUP,
  JAILED_GROUP,
  PASSWORD_GROUP,
  READ_ONLY_GROUP,
  SHELL_GROUP,
} from '../../sshd/render-drop-in.ts'

const isMember = async (group: string, username: string): Promise<boolean> => {
  const rows = (await readFile('/etc/group', 'utf8')).split('\n').map((line) => line.split(':'))
  const members = rows.find(([name]) => name === group)?.[3]?.split(',')
  return members?.includes(username) === true
}

const change = async (group: string, username: string, wanted: boolean): Promise<void> => {
  if ((await isMember(group, username)) === wanted) return
  const how = wanted ? '--append' : '--remove'
  await passwdTool('usermod', [how, '--groups', group, '--', username])
}

/** Makes the groups that the drop-in speaks of, where they are missing. */
export const ensureLoginGroups = async (): Promise<void> => {
  for (const group of [JAILED_GROUP, PASSWORD_GROUP, READ_ONLY_GROUP, SHELL_GROUP, BOUND_GROUP])
    if ((await osGroupId(group)) === null)
      // Another installation may make it at the same time.
      await passwdTool('groupadd', ['--system', '--force', '--', group])
}

/**
 * Puts an account into its jail's group. One that is new in it may log in by its password,
 * until somebody says otherwise.
 */
export const jailLogins = async (username: string): Promise<void> => {
  if (await isMember(JAILED_GROUP, username)) return
  await change(PASSWORD_GROUP, username, true)
  await change(JAILED_GROUP, username, true)
}

/** Whether an account's password counts. */
export const setPasswordLogin = (username: string, wanted: boolean): Promise<void> =>
  change(PASSWORD_GROUP, username, wanted)

/** Whether an account's or user's password counts now. */
export const hasPasswordLogin = (username: string): Promise<boolean> =>
  isMember(PASSWORD_GROUP, username)

/** Whether a user may change nothing. */
export const setReadOnlyLogin = (username: string, wanted: boolean): Promise<void> =>
  change(READ_ONLY_GROUP, username, wanted)

/** Whether an account has keys that open one repository alone. */
export const setBoundLogin = (username: string, wanted: boolean): Promise<void> =>
  change(BOUND_GROUP, username, wanted)

/** Whether sshd reads such keys for the account where it has a room. */
export const isBoundLogin = (username: string): Promise<boolean> => isMember(BOUND_GROUP, username)

/** Whether an account gets a shell. */
export const setShellLogin = (username: string, wanted: boolean): Promise<void> =>
  change(SHELL_GROUP, username, wanted)
