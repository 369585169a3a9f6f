import { spawn } from 'node:child_process'
import { CHECKED, GIT } from './git-settings.ts'

/** Of what is read, not shown. */
const MOST_READ_BYTES = 2 ** 20

/** What is shown goes where ours goes. Answers the exit code; null where a signal ended it. */
export const runGit = (args: readonly string[], env: NodeJS.ProcessEnv): Promise<number | null> =>
  new Promise((resolve, reject) => {
    const child = spawn(GIT, args, { env, stdio: ['ignore', 'inherit', 'inherit'] })
    child.once('error', reject)
    child.once('close', resolve)
  })

/** What git says of a repository in `directory`; null where it fails. Throws where that is more than a megabyte. */
export const readGit = (
  directory: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<string | null> =>
  new Promise((resolve, reject) => {
    const argv = [...CHECKED, '-C', directory, ...args]
    const child = spawn(GIT, argv, { env, stdio: ['ignore', 'pipe', 'ignore'] })
    const parts: Buffer[] = []
    let bytes = 0
    child.once('error', reject)
    child.stdout.on('data', (part: Buffer) => {
      bytes += part.length
      if (bytes <= MOST_READ_BYTES) parts.push(part)
      else child.kill('SIGKILL')
    })
    child.once('close', (code) => {
      if (bytes > MOST_READ_BYTES) reject(new Error('Its list of submodules is too long.'))
      else resolve(code === 0 ? Buffer.concat(parts).toString('utf8') : null)
    })
  })
