import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { mustRun } from '#adapters/node/process/run-command.ts'
import { madeOnce, testCache } from '#test/support/test-cache.ts'

const FETCH = { timeoutMs: 300_000 }

/** Fetches packages into a directory; once more with new lists, because old ones name files that are gone. */
const download = async (packages: readonly string[], directory: string): Promise<void> => {
  const fetch = () => mustRun('apt-get', ['download', ...packages], { cwd: directory, ...FETCH })
  await fetch().catch(async () => {
    await mustRun('apt-get', ['-q', 'update'], FETCH)
    await fetch()
  })
}

/**
 * Files out of Debian packages without installing them: unpacks the packages and
 * keeps what `make` builds from `root` in `tree`. Nothing of it is in the repository.
 *
 * @param name in the tests' cache
 */
export const debianTree = (options: {
  name: string
  packages: readonly string[]
  make: (root: string, tree: string) => Promise<void>
}): Promise<string> =>
  madeOnce(join(testCache(options.name), 'tree'), async (tree) => {
    const work = join(tree, '.work')
    const root = join(work, 'root')
    await mkdir(root, { recursive: true })
    await download(options.packages, work)
    for (const file of await readdir(work))
      if (file.endsWith('.deb')) await mustRun('dpkg', ['-x', join(work, file), root])
    await options.make(root, tree)
    await rm(work, { recursive: true })
  })
