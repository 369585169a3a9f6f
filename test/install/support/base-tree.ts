import { join } from 'node:path'
import { mustRun, runCommand } from '#adapters/node/process/run-command.ts'
import { madeOnce, testCache } from '#test/support/test-cache.ts'

/** Trees of distributions, what is laid over them, packages of apt and npm. */
export const trees = (): string => testCache('debian')

/** Where this machine has its own packages of that release from, if it is of it. */
const mirrorOf = async (suite: string): Promise<string> => {
  const listed = await runCommand('apt-get', [
    ...['indextargets', '--format', '$(RELEASE) $(COMPONENT) $(REPO_URI)', 'Created-By: Packages'],
  ])
  const line = listed.stdout.split('\n').find((found) => found.startsWith(`${suite} main http:`))
  return line?.split(' ')[2] ?? 'http://deb.debian.org/debian'
}

/** A bare Debian as debootstrap makes it, never changed. */
export const baseTree = (suite: string): Promise<string> =>
  madeOnce(join(trees(), suite), async (work) => {
    // It does not know `--`.
    const args = ['--variant=minbase', suite, work, await mirrorOf(suite)]
    await mustRun('debootstrap', args, { timeoutMs: 600_000, maxOutputBytes: 64 * 2 ** 20 })
  })
