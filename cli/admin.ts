import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { CliError } from './cli-error.ts'
import { PRODUCT_DIR } from './options.ts'
import type { LocalCall, ResourceSpec } from './panel/frame/command-types.ts'
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

const run = async (action: string, call: LocalCall, more: readonly string[] = []) => {
  const { configFile, args, json, print } = call
  const username = args[0] ?? ''
  const password = await readNewPassword()
  const words = ['--config', configFile, '--action', action, `--username=${username}`, ...more]
  process.exitCode = await runOnStore(words, password, json)
  if (json && process.exitCode === 0) print({ username, action }, '')
}

/** `berth admin create | reset-password`. */
export const admin: ResourceSpec = {
  name: 'admin',
  summary: 'administrators of the panel, on this host (as root, or who started Berth)',
  commands: {
    create: {
      summary: 'create an administrator; the password is asked for, or read from standard input',
      args: [['<username>', 'at least 3 characters']],
      examples: ['berth admin create alice', 'pass show berth | berth admin create alice'],
      act: (call) => run('create', call),
    },
    'reset-password': {
      summary: 'set a new password, lift a lock, and end all sessions of an administrator',
      args: [['<username>', 'of the administrator']],
      options: [['--remove-second-factor', 'for a lost authenticator without recovery codes']],
      examples: [
        'berth admin reset-password alice',
        'berth admin reset-password alice --remove-second-factor',
      ],
      act: (call) =>
        run(
          'reset-password',
          call,
          call.options.isOn('removeSecondFactor') ? ['--remove-second-factor'] : [],
        ),
    },
  },
}
