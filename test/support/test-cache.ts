import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, statSync } from 'node:fs'
import { chmod, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

const CHECKOUT = join(import.meta.dirname, '../..')

/** Whether everybody may enter a directory, or what is there of it. */
const isOpen = (directory: string): boolean =>
  (!existsSync(directory) || (statSync(directory).mode & 0o001) !== 0) &&
  (directory === '/' || isOpen(dirname(directory)))

/** In the checkout; not where root alone may enter that, as below `/root`. */
const usualPlace = (): string => {
  const place = join(CHECKOUT, '.cache/test')
  return process.getuid?.() !== 0 || isOpen(CHECKOUT) ? place : '/var/cache/berth-test'
}

/**
 * Directory of what tests keep between runs under a name. Accounts' own users copy
 * from it and run what lies there, so everybody may enter it; a run of the tests
 * says by `BERTH_TEST_CACHE` where it has it.
 */
export const testCache = (name: string): string => {
  const directory = join(process.env['BERTH_TEST_CACHE'] ?? usualPlace(), name)
  if (!existsSync(directory)) {
    mkdirSync(directory, { recursive: true, mode: 0o755 })
    chmodSync(directory, 0o755)
  }
  return directory
}

/** Whoever holds the lock: its end, however it comes, gives the lock back. */
const lock = async (file: string): Promise<() => Promise<void>> => {
  const holder = spawn('flock', [file, 'sh', '-c', 'echo held; exec cat'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const ended = once(holder, 'exit')
  await Promise.race([
    once(holder.stdout, 'data'),
    ended.then(([code]) => {
      throw new Error(`flock ended with ${code}`)
    }),
  ])
  return async () => {
    holder.stdin.end()
    await ended
  }
}

/**
 * Makes what is kept at `place`, unless it is there: in a directory beside it that
 * is renamed when it is whole, one process at a time, whatever namespaces they are in.
 */
export const madeOnce = async (
  place: string,
  make: (work: string) => Promise<void>,
): Promise<string> => {
  if (existsSync(place)) return place
  const [beside, name] = [dirname(place), `.${basename(place)}`]
  const unlock = await lock(join(beside, `${name}.lock`))
  try {
    if (existsSync(place)) return place
    // Under the lock, so what is there was left by somebody who was killed.
    for (const left of await readdir(beside))
      if (left.startsWith(`${name}.work-`))
        await rm(join(beside, left), { recursive: true, force: true })
    const work = await mkdtemp(join(beside, `${name}.work-`))
    try {
      await chmod(work, 0o755)
      await make(work)
      await rename(work, place)
    } finally {
      // What timed out may still be writing for a moment.
      await rm(work, { recursive: true, force: true, maxRetries: 5, retryDelay: 500 })
    }
    return place
  } finally {
    await unlock()
  }
}
