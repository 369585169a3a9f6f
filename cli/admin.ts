import { spawn } from 'node:child_process'
import { join } from 'node:path'
import type { Command } from 'commander'
import { CliError } from './cli-error.ts'
import { withExamples } from './examples.ts'
import { PRODUCT_DIR, readGlobalOptions } from './options.ts'
import { readNewPassword } from './read-password.ts'

/** Runs the program that works on the store. With `quiet` it prints nothing, and what it complains of is thrown; else its output is ours. Answers its exit code. */
const runOnStore = (args: readonly string[], password: string, quiet: boolean): Promise<number> =>
  new Promise((resolve, reject) => {
    const program = join(PRODUCT_DIR, 'adapters/node/bin/admin.ts')
    const child = spawn(process.execPath, [program, ...args], {
      stdio: ['pipe', quiet ? 'ignore' : 'inherit', quiet ? 'pipe' : 'inherit'],
    })
    let said = ''
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (said += text))
    child.on('error', reject)
    child.on('close', (code) => {
      if (quiet && code !== 0) reject(new CliError(said.trim()))
      else resolve(code ?? 1)
    })
    // It may have ended before it read, with a reason of its own.
    child.stdin?.on('error', () => undefined)
    child.stdin?.end(password)
  })

/** `berth admin create | reset-password`. */
export const addAdminCommands = (program: Command): void => {
  const admin = program
    .command('admin')
    .description('administrators of the panel, on this host (as root, or who started Berth)')

  const run = async (
    action: 'create' | 'reset-password',
    username: string,
    more: readonly string[],
    command: Command,
  ): Promise<void> => {
    const { configFile, json } = readGlobalOptions(command)
    const password = await readNewPassword()
    const args = ['--config', configFile, '--action', action, `--username=${username}`, ...more]
    process.exitCode = await runOnStore(args, password, json)
    if (json && process.exitCode === 0) console.log(JSON.stringify({ username, action }, null, 2))
  }

  const create = admin
    .command('create')
    .description('create an administrator; the password is asked for, or read from standard input')
    .argument('<username>', 'at least 3 characters')
    .action((username: string, _options, command: Command) => run('create', username, [], command))
  const reset = admin
    .command('reset-password')
    .description('set a new password, lift a lock, and end all sessions of an administrator')
    .argument('<username>', 'of the administrator')
    .option('--remove-second-factor', 'for a lost authenticator without recovery codes')
    .action((username: string, options: { removeSecondFactor?: boolean }, command: Command) => {
      const more = options.removeSecondFactor === true ? ['--remove-second-factor'] : []
      return run('reset-password', username, more, command)
    })
  withExamples(create, ['berth admin create alice', 'pass show berth | berth admin create alice'])
  withExamples(reset, [
    'berth admin reset-password alice',
    'berth admin reset-password alice --remove-second-factor',
  ])
}
