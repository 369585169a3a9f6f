import { existsSync } from 'node:fs'
import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { mustRun } from '#adapters/node/process/run-command.ts'

/**
 * Files out of Debian packages without installing them: unpacks the packages
 * once per machine and keeps what `make` builds from `root` in `tree`. Nothing of
 * it is in the repository.
 *
 * @param cache world-readable directory, because an account's own user copies from it
 * @param proof a file of the finished tree
 */
export const debianTree = async (options: {
  cache: string
  packages: readonly string[]
  proof: string
  make: (root: string, tree: string) => Promise<void>
}): Promise<string> => {
  const tree = join(options.cache, 'tree')
  if (existsSync(join(tree, options.proof))) return tree
  const work = `${options.cache}.${process.pid}`
  await rm(work, { recursive: true, force: true })
  await mkdir(join(work, 'root'), { recursive: true })
  try {
    await mustRun('apt-get', ['download', ...options.packages], { cwd: work, timeoutMs: 300_000 })
    for (const file of await readdir(work)) {
      if (file.endsWith('.deb')) await mustRun('dpkg', ['-x', join(work, file), join(work, 'root')])
    }
    await options.make(join(work, 'root'), join(work, 'tree'))
    await rm(options.cache, { recursive: true, force: true })
    await mkdir(options.cache, { recursive: true, mode: 0o755 })
    await rename(join(work, 'tree'), tree)
    return tree
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}
