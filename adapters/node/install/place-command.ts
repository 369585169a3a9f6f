import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import * as z from 'zod'
import { mustRun } from '../process/run-command.ts'
import { nodePackageName } from '../installed-copy/install-copy.ts'
import { CURRENT } from './current-version.ts'

const nodeOf = (appDir: string): string =>
  join(appDir, 'node_modules', nodePackageName(), 'bin/node')

const MARK = "Written by Berth's installer"

/** Files that the command line generates (`cli/print-reference.ts`), and the name of the text in each. */
const GENERATED: readonly (readonly [file: string, name: string])[] = [
  ['/usr/local/share/man/man1/berth.1', 'man'],
  ['/usr/local/share/bash-completion/completions/berth', 'bash'],
  ['/usr/local/share/zsh/site-functions/_berth', 'zsh'],
  ['/usr/local/share/fish/vendor_completions.d/berth.fish', 'fish'],
]
const texts = z.record(z.string(), z.string())
/** It takes a second; beside a service that just starts on one slow processor, minutes. */
const COMMAND_TIMEOUT_MS = 600_000
/** Where the command is found by every PATH. */
export const COMMAND_FILE = '/usr/local/bin/berth'

/** Writes a file as a whole, when it is not that already. */
const place = (file: string, text: string, mode: number): void => {
  if (existsSync(file) && readFileSync(file, 'utf8') === text) return
  mkdirSync(dirname(file), { recursive: true, mode: 0o755 })
  const temporary = `${file}.new`
  rmSync(temporary, { force: true })
  writeFileSync(temporary, text, { mode, flag: 'wx' })
  renameSync(temporary, file)
}

const isOurs = (file: string): boolean =>
  !existsSync(file) || readFileSync(file, 'utf8').includes(MARK)

/** Puts the command, its manual page and its completion onto the machine. They follow `current`. */
export const placeCommand = async (installDir: string, appDir: string): Promise<void> => {
  if (!isOurs(COMMAND_FILE))
    throw new Error(`${COMMAND_FILE} is another program. Move it away, then run install.sh again.`)
  const current = join(installDir, CURRENT)
  const node = nodeOf(current)
  place(
    COMMAND_FILE,
    `#!/bin/sh\n# ${MARK}; install.sh --uninstall removes it.\nexec '${node}' '${join(current, 'cli/main.ts')}' "$@"\n`,
    0o755,
  )
  const { stdout } = await mustRun(nodeOf(appDir), [join(appDir, 'cli/print-reference.ts')], {
    timeoutMs: COMMAND_TIMEOUT_MS,
  })
  const printed = texts.parse(JSON.parse(stdout))
  for (const [file, name] of GENERATED) place(file, printed[name] ?? '', 0o644)
}

/** Takes away what `placeCommand` put there. */
export const removeCommand = (): void => {
  if (!isOurs(COMMAND_FILE)) return
  for (const file of [COMMAND_FILE, ...GENERATED.map(([name]) => name)])
    rmSync(file, { force: true })
}

/** Runs a copy's command line; answers its output. */
export const commandOf =
  (appDir: string, configFile: string) =>
  async (args: readonly string[]): Promise<string> => {
    const main = join(appDir, 'cli/main.ts')
    const whole = [main, '--config', configFile, ...args]
    return (await mustRun(nodeOf(appDir), whole, { timeoutMs: COMMAND_TIMEOUT_MS })).stdout
  }
