import { join } from 'node:path'
import type { ServerConfig } from '#handlers/domain/config/config-types.ts'
import { SUPERVISOR_LOG } from './supervisor-log.ts'

/** logrotate reads its paths as patterns, in which blanks and quotes need a quote. */
const pattern = (path: string): string => `"${path.replace(/["\\*?[{]/g, '\\$&')}"`

/** A word of the shell that logrotate hands its scripts to. */
const shellWord = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/**
 * The text of `/etc/logrotate.d/berth`. `reopen` is the argv that has the
 * processes go on in new files. `webUser` writes into a directory of its own,
 * where root must not be led by links: logrotate works there as that user.
 */
export const renderLogrotate = (
  { paths }: Pick<ServerConfig, 'paths'>,
  reopen: readonly string[],
  webUser: { user: string; group: string } | null,
): string => {
  const ours = ['agent.log', 'panel.log', 'web.log', 'hooks.log'].map((name) =>
    join(paths.log_dir, name),
  )
  const common = `    daily
    maxsize 100M
    rotate 14
    missingok
    notifempty
    compress
    delaycompress
    nocreate`
  const script = `    sharedscripts
    postrotate
        ${reopen.map(shellWord).join(' ')}
    endscript`
  return `# Written by: berth service install
${pattern(join(paths.log_dir, 'web'))}/*.log {
${webUser === null ? '' : `    su ${webUser.user} ${webUser.group}\n`}${common}
${script}
}
${ours.map(pattern).join('\n')} {
${common}
${script}
}
${pattern(join(paths.log_dir, SUPERVISOR_LOG))} {
${common}
    copytruncate
}
`
}
