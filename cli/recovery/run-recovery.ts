import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { CliError } from '../cli-error.ts'
import { PRODUCT_DIR } from '../options.ts'

/** What was refused with nothing changed and no import under way. */
export class RecoveryRefusal extends CliError {}

/** The program's exit code for that. */
const REFUSED = 3

/**
 * Runs the program that works on the installation as root: what to do goes over
 * standard input, secrets with it, since arguments and environment can be seen by
 * others. Answers what it printed; what it complains of is thrown.
 */
export const runRecovery = (configFile: string, request: object): Promise<unknown> =>
  new Promise((resolve, reject) => {
    if (process.getuid?.() !== 0) {
      reject(new CliError('Only root may do this. Run it with sudo.'))
      return
    }
    const program = join(PRODUCT_DIR, 'adapters/node/bin/recovery.ts')
    const child = spawn(process.execPath, [program, '--config', configFile], {
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    const said = { out: '', error: '' }
    child.stdout.setEncoding('utf8').on('data', (text: string) => (said.out += text))
    child.stderr.setEncoding('utf8').on('data', (text: string) => (said.error += text))
    child.on('error', reject)
    child.on('close', (code, signal) => {
      if (code === 0) resolve(JSON.parse(said.out))
      else if (code === REFUSED) reject(new RecoveryRefusal(said.error.trim()))
      else reject(new CliError(said.error.trim() || `It was ended by ${signal ?? 'an error'}.`))
    })
    // It may have ended before it read, with a reason of its own.
    child.stdin.on('error', () => undefined)
    child.stdin.end(JSON.stringify(request))
  })
