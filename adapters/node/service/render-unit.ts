import { dirname, join } from 'node:path'
import type { ServerConfig } from '#handlers/domain/config/config-types.ts'
import { SSHD_DIRECTORY } from '../sshd/sshd-settings.ts'
import { LINGER } from '../sshd/user-managers.ts'
import { startLimitSecs } from './start-limit.ts'

export interface UnitFacts {
  config: Pick<ServerConfig, 'file' | 'paths' | 'ssl' | 'cache' | 'server'>
  /** The pinned Node, absolute. */
  node: string
  /** The product that is started, absolute. */
  productDir: string
  /** The file system of the homes keeps quotas, which the agent sets. */
  quotas: boolean
  /** Control groups are unified, so accounts lie in slices, which systemd makes; else the agent itself divides the unit's. */
  slices: boolean
}

/** A word of a unit file: `%` stands for itself, blanks and quotes do not end it (systemd.syntax). */
const unitWord = (text: string): string => {
  const plain = text.replaceAll('%', '%%')
  return /^[\w@%+=:,./-]+$/.test(plain)
    ? plain
    : `"${plain.replace(/[\\"]/g, '\\$&').replace(/\p{Cc}/gu, '')}"`
}

/** The same in a command line, where `$` would begin a variable (systemd.service). */
export const commandWord = (text: string): string => unitWord(text).replaceAll('$', '$$$$')

/**
 * What the agent and its tools need of root. Not among them: CAP_MKNOD, CAP_NET_ADMIN, CAP_NET_RAW, CAP_SYS_MODULE and the like.
 */
export const CAPABILITIES = [
  // homes, certificates and sockets get their owners and modes
  'CAP_CHOWN',
  'CAP_DAC_OVERRIDE',
  'CAP_DAC_READ_SEARCH',
  'CAP_FOWNER',
  'CAP_FSETID',
  // setpriv: becoming an account's user, then dropping what is left
  'CAP_SETUID',
  'CAP_SETGID',
  'CAP_SETPCAP',
  // ending processes of accounts, and reading /proc to know whose they are
  'CAP_KILL',
  'CAP_SYS_PTRACE',
  // mount namespaces of accounts, disk quotas; accounts' programs lose it like all others
  'CAP_SYS_ADMIN',
  'CAP_SYS_CHROOT',
  'CAP_NET_BIND_SERVICE',
  // prlimit of accounts' programs, ipcrm of what they leave
  'CAP_SYS_RESOURCE',
  'CAP_IPC_OWNER',
  // useradd and its like report to the audit log where one is kept
  'CAP_AUDIT_WRITE',
] as const

/** Groups of calls and calls that are allowed; what is missing answers EPERM. */
export const SYSTEM_CALLS = ['@system-service', '@mount'] as const

/** Where something is written; everything else is read-only. The first list are directories that are made before the start. */
export const writablePaths = ({
  file,
  paths,
  ssl,
  cache,
}: UnitFacts['config']): { made: string[]; given: string[] } => {
  const made = [
    paths.state_dir,
    paths.home_base,
    paths.run_dir,
    paths.log_dir,
    paths.install_dir,
    paths.vhosts_dir,
    paths.secrets_dir,
    ssl.directory,
    cache.disk_path ?? join(paths.state_dir, 'cache'),
    dirname(file),
  ]
  const isBelow = (path: string, other: string): boolean => path.startsWith(`${other}/`)
  const tops = [...new Set(made)].filter((path) => !made.some((other) => isBelow(path, other)))
  // useradd and its like replace files of /etc by renaming; accounts have mail, cron and temporary files.
  const system = ['/etc', '/tmp', '/var/tmp', '/var/mail', '/var/spool', '/var/log/lastlog']
  // Where clients look for a database server by default: links to ours.
  const sockets = ['/run/mysqld', '/run/postgresql']
  return { made: tops, given: [...system, '/var/log/faillog', '/dev/shm', LINGER, ...sockets] }
}

/** The text of `berth.service`. docs/service.md says why each protection is there, and why others are not. */
export const renderUnit = (facts: UnitFacts): string => {
  const { config, node, productDir, quotas, slices } = facts
  const command = (script: string, ...args: string[]): string =>
    [node, join(productDir, script), ...args].map(commandWord).join(' ')
  const { made, given } = writablePaths(config)
  const writable = [...made, ...given].map((path) => unitWord(`-${path}`)).join(' ')
  const cache = join(config.paths.state_dir, 'compile-cache', 'supervisor')
  const calls = quotas ? [...SYSTEM_CALLS, 'quotactl', 'quotactl_fd'] : SYSTEM_CALLS
  const limitSecs = startLimitSecs(config)
  const waiting = [
    ...['--run-dir', config.paths.run_dir, '--log-dir', config.paths.log_dir],
    ...['--limit-secs', String(limitSecs)],
  ]
  return `# Written by: berth service install. Changes belong into: systemctl edit berth
[Unit]
Description=Berth hosting panel and web server
Documentation=man:berth(1)
Wants=network-online.target
After=network-online.target nss-user-lookup.target mariadb.service postgresql.service quotaon.service
RequiresMountsFor=${made.map(unitWord).join(' ')}
StartLimitIntervalSec=120
StartLimitBurst=5

[Service]
Type=exec
ExecStartPre=+/usr/bin/mkdir -p -- ${made.map(commandWord).join(' ')}
ExecStartPre=+-/usr/bin/mkdir -p -m 0755 -- ${SSHD_DIRECTORY} ${LINGER}
ExecStart=${command('adapters/node/bin/supervisor.ts', '--config', config.file)}
ExecStartPost=${command('adapters/node/bin/await-ready.ts', ...waiting)}
ExecReload=/bin/kill -HUP $MAINPID
Environment=${unitWord(`NODE_COMPILE_CACHE=${cache}`)}
WorkingDirectory=/
UMask=0022
Restart=on-failure
RestartSec=2
KillMode=mixed
TimeoutStartSec=${limitSecs}
TimeoutStopSec=75
OOMPolicy=continue
TasksMax=infinity
LimitNOFILE=1048576

CapabilityBoundingSet=${CAPABILITIES.join(' ')}
NoNewPrivileges=yes
SystemCallFilter=${calls.join(' ')}
SystemCallErrorNumber=EPERM
SystemCallArchitectures=native
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
RestrictNamespaces=mnt pid
RestrictRealtime=yes
RestrictSUIDSGID=yes
LockPersonality=yes
KeyringMode=private
PrivateMounts=yes
ProtectSystem=strict
ReadWritePaths=${writable}
ProtectClock=yes
${slices ? 'ProtectControlGroups=yes' : 'Delegate=yes'}
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
${quotas ? '' : 'PrivateDevices=yes\n'}
[Install]
WantedBy=multi-user.target
`
}
