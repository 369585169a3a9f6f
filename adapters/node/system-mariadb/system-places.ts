import { mustRun } from '../process/run-command.ts'

/** As Debian's package has it. */
export const SYSTEM_MARIADB = {
  mainFile: '/etc/mysql/mariadb.cnf',
  directory: '/etc/mysql/mariadb.conf.d',
  restart: async (): Promise<void> => {
    await mustRun('/usr/bin/systemctl', ['--no-ask-password', 'restart', 'mariadb'], {
      timeoutMs: 120_000,
    })
  },
}
