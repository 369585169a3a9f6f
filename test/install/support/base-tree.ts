import { existsSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { mustRun } from '#adapters/node/process/run-command.ts'

/** Kept between runs: trees of distributions, packages of apt and npm. */
export const CACHE = '/var/tmp/berth-test-debootstrap'

/** A bare Debian as debootstrap makes it, made once per machine and never changed. */
export const baseTree = async (suite: string): Promise<string> => {
  const tree = join(CACHE, suite)
  for (const directory of ['archives/partial', 'npm', 'lists/partial'])
    await mkdir(join(CACHE, suite + '.cache', directory), { recursive: true, mode: 0o755 })
  if (existsSync(tree)) return tree
  const work = `${tree}.${process.pid}`
  try {
    await mustRun(
      'debootstrap',
      // It does not know `--`.
      ['--variant=minbase', suite, work, 'http://deb.debian.org/debian'],
      { timeoutMs: 600_000 },
    )
    await rename(work, tree)
  } finally {
    await rm(work, { recursive: true, force: true })
  }
  return tree
}
