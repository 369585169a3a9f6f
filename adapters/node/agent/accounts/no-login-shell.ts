import { access } from 'node:fs/promises'

/**
 * In place of a shell it carries out no command, whatever is asked for (`sftp-server -c`
 * ignores its arguments, sftp-server.c): with it the files are reached by SFTP through
 * whatever sshd the host has, and nothing else is.
 */
export const SFTP_ONLY = '/usr/lib/openssh/sftp-server'

/** Of a user who may not log in at all. */
export const NO_SHELL = '/usr/sbin/nologin'

/** Of a user that was given none. */
export const noLoginShell = (): Promise<string> =>
  access(SFTP_ONLY).then(
    () => SFTP_ONLY,
    () => NO_SHELL,
  )
