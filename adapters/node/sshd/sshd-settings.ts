import { mkdirSync } from 'node:fs'
import { runCommand } from '../process/run-command.ts'

/** The machine's, as Debian has it. */
export const SSHD = '/usr/sbin/sshd'

/**
 * Where sshd goes before it knows who asks. It judges no configuration without it, and where a
 * socket of systemd starts it (as on Ubuntu) the directory is there from the first connection on.
 */
export const SSHD_DIRECTORY = '/run/sshd'

/** What `sshd -T` says of a configuration: keywords in lower case with their values. */
export type SshdSettings = readonly (readonly [keyword: string, value: string])[]

/** Values of a keyword, in their order. */
export const valuesOf = (settings: SshdSettings, keyword: string): string[] =>
  settings.flatMap(([name, value]) => (name === keyword ? [value] : []))

/** A configuration of sshd, as sshd reads it. */
export interface SshdConfig {
  /** Why sshd would not take it; null: it would. */
  fault(): Promise<string | null>
  /** What holds for who comes so. */
  settings(user: string): Promise<SshdSettings>
}

/** Asks that sshd about that file. */
export const createSshdConfig = (sshd: string, file: string): SshdConfig => {
  const once = (...args: string[]) => runCommand(sshd, [...args, '-f', file], { timeoutMs: 20_000 })
  const ask = async (...args: string[]) => {
    const told = await once(...args)
    if (!told.stderr.includes(`separation directory: ${SSHD_DIRECTORY}`)) return told
    mkdirSync(SSHD_DIRECTORY, { recursive: true, mode: 0o755 })
    return once(...args)
  }
  return {
    async fault() {
      const { code, stderr } = await ask('-t')
      return code === 0 ? null : stderr.trim().slice(0, 1000)
    },
    async settings(user) {
      const { code, stdout, stderr } = await ask(
        '-T',
        '-C',
        `user=${user},host=localhost,addr=127.0.0.1`,
      )
      if (code !== 0) throw new Error(`sshd does not take ${file}: ${stderr.trim().slice(0, 1000)}`)
      return stdout
        .split('\n')
        .filter((line) => line.includes(' '))
        .map(
          (line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)] as const,
        )
    },
  }
}
