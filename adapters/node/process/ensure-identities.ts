import {
  BACKUP_USER,
  CONF_GROUP,
  findUser,
  LINK_USER,
  MAIL_USER,
  loadIdentities,
  PANEL_USER,
  TOOL_USER,
  WEB_USER,
  type Identities,
} from './identities.ts'
import { mustRun } from './run-command.ts'
import { readFileSync } from 'node:fs'

const membersOf = (group: string): string[] => {
  const row = readFileSync('/etc/group', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .find(([name]) => name === group)
  return row?.[3]?.split(',').filter(Boolean) ?? []
}

/**
 * Creates the system users of the unprivileged processes and the group that may
 * read the configuration, where they do not exist yet. Each user has its own
 * group; neither is a member of the other's, so the web server cannot reach the
 * agent's socket and the panel cannot enter homes.
 */
export const ensureIdentities = async (): Promise<Identities> => {
  let found = loadIdentities()
  if (!found.root) return found
  if (found.confGid === null) await mustRun('/usr/sbin/groupadd', ['--system', '--', CONF_GROUP])
  for (const [name, existing, comment] of [
    [PANEL_USER, found.panel, 'Berth panel'],
    [WEB_USER, found.web, 'Berth web server'],
    [BACKUP_USER, found.backup, 'Berth backups'],
    [TOOL_USER, findUser(TOOL_USER), 'Berth database tool'],
    [MAIL_USER, findUser(MAIL_USER), 'Berth mail'],
    [LINK_USER, found.link, 'Berth link'],
  ] as const) {
    if (existing === null)
      await mustRun('/usr/sbin/useradd', [
        '--system',
        '--user-group',
        '--no-create-home',
        '--home-dir',
        '/nonexistent',
        '--shell',
        '/usr/sbin/nologin',
        '--comment',
        comment,
        '--',
        name,
      ])
    if (
      ![BACKUP_USER, TOOL_USER, MAIL_USER, LINK_USER].includes(name) &&
      !membersOf(CONF_GROUP).includes(name)
    )
      await mustRun('/usr/sbin/usermod', ['--append', '--groups', CONF_GROUP, '--', name])
  }
  found = loadIdentities()
  const { panel, web, backup, confGid } = found
  if (panel === null || web === null || backup === null || confGid === null)
    throw new Error(
      `The system users ${PANEL_USER}, ${WEB_USER} and ${BACKUP_USER} could not be created. Look into /etc/passwd and /etc/group.`,
    )
  return found
}
