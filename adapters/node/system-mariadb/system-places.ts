import { mustRun } from '../process/run-command.ts'

/** Configuration of a server that somebody else runs. */
export interface SystemConfiguration {
  /** The file that it reads first. */
  mainFile: string
  /** What lies here is read last, in the order of names. */
  directory: string
  socket: string
  /** Starts it anew; rejects when it does not come up. */
  restart(): Promise<void>
}

/** As Debian's package has it; its socket the configuration names. */
export const SYSTEM_MARIADB: Omit<SystemConfiguration, 'socket'> = {
  mainFile: '/etc/mysql/mariadb.cnf',
  directory: '/etc/mysql/mariadb.conf.d',
  restart: async (): Promise<void> => {
    await mustRun('/usr/bin/systemctl', ['--no-ask-password', 'restart', 'mariadb'], {
      timeoutMs: 120_000,
    })
  },
}
