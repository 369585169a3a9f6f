/** Every account is in it: it makes sshd keep the account in its jail. */
export const JAILED_GROUP = 'berth-sftp'
/** Those of them whose password counts. */
export const PASSWORD_GROUP = 'berth-sftp-password'

/** Those who may read and change nothing. */
export const READ_ONLY_GROUP = 'berth-sftp-readonly'

/** Those who have a shell, in a room of their own. */
export const SHELL_GROUP = 'berth-ssh'

/** Those of them who have keys that open one repository alone. */
export const BOUND_GROUP = 'berth-ssh-bound'

/** What sshd is told to run for these, whatever was asked for; their login program knows. */
export const SHELL_COMMAND = 'berth-session'

/**
 * Variables by which who logs in could have code of his run before his limits hold: of the
 * dynamic linker, of character sets and of Perl. `~/.pam_environment` and
 * `~/.ssh/environment` may name them, where the host allows these; what sshd sets stands above.
 */
const HARMLESS = [
  ...['LD_PRELOAD=', 'LD_AUDIT=', 'LD_LIBRARY_PATH=', 'GLIBC_TUNABLES='],
  ...['LOCPATH=', 'GCONV_PATH=/nonexistent', 'PERL5LIB=', 'PERL5OPT=', 'PERLIO='],
]

/** Where what sshd reads lies. */
export interface SftpPlaces {
  /** Holds `<username>`, the room of a shell; named below the same link as `jails`. */
  rooms: string
  /** Holds `<username>`, the jail; named below a link, see `JailRoom`. */
  jails: string
  /** Holds `<username>`, the keys. */
  keys: string
}

/** The account's own below a path, for sshd_config(5): `%` begins a token, blanks end a word that is not quoted. */
const own = (path: string): string => `"${path.replaceAll('%', '%%')}/%u"`

/** Beside the keys: those that open one repository alone. */
export const repositoryKeys = (keys: string): string => `${keys}-repositories`

/** Its first line, by which an installation knows its own. */
export const renderHead = (owner: string): string =>
  `# Written by Berth, of ${owner}. Changes are lost; see [ssh] in berth.toml.\n`

/**
 * The text of our drop-in. All that concerns log-ins stands below `Match`, which ends with
 * the file, so that nobody else's change. `ports`: those that sshd listens at; none where
 * it keeps to its own.
 * `ForceCommand` stands above the command of a key, which is how a key tells the login program what it
 * opens. So for who has such keys it is none, and these are read in that case alone: none is
 * ever read where its command does not count.
 */
export const renderDropIn = (
  { rooms, jails, keys }: SftpPlaces,
  owner: string,
  ports: readonly number[],
): string => `${renderHead(owner)}${ports.map((port) => `Port ${port}\n`).join('')}
Match Group ${PASSWORD_GROUP}
    PasswordAuthentication yes

Match Group ${READ_ONLY_GROUP}
    ForceCommand internal-sftp -R -l INFO -u 0022

Match Group ${BOUND_GROUP} Group ${SHELL_GROUP}
    ForceCommand none
    AuthorizedKeysFile ${own(repositoryKeys(keys))} ${own(keys)}

Match Group ${SHELL_GROUP}
    ChrootDirectory ${own(rooms)}
    ForceCommand ${SHELL_COMMAND}
    PermitTTY yes
    AcceptEnv LANG LC_*
    SetEnv ${HARMLESS.join(' ')}

Match Group ${JAILED_GROUP}
    ChrootDirectory ${own(jails)}
    ForceCommand internal-sftp -l INFO -u 0022
    AuthorizedKeysFile ${own(keys)}
    AuthorizedKeysCommand none
    AuthorizedPrincipalsCommand none
    AuthorizedPrincipalsFile none
    TrustedUserCAKeys none
    AuthenticationMethods any
    PubkeyAuthentication yes
    PasswordAuthentication no
    PermitEmptyPasswords no
    KbdInteractiveAuthentication no
    HostbasedAuthentication no
    GSSAPIAuthentication no
    KerberosAuthentication no
    DisableForwarding yes
    AllowAgentForwarding no
    AllowTcpForwarding no
    AllowStreamLocalForwarding no
    X11Forwarding no
    GatewayPorts no
    PermitOpen none
    PermitListen none
    PermitTunnel no
    PermitTTY no
    PermitUserRC no
    LogVerbose auth.c:auth_log_authopts():*,session.c:do_exec():*
    MaxSessions 10
    ClientAliveInterval 60
    ClientAliveCountMax 5
`
