import { dirname, join } from 'node:path'
import { sharedPathFault } from '#handlers/domain/applications/release-paths.ts'
import { AppError, conflict } from '#handlers/errors.ts'

/** Runs a program as the account, in its room. */
export type RunAs = (
  program: string,
  args: string[],
) => Promise<{ code: number | null; stdout: string; stderr: string }>

/** Beside the releases: what they have in common. */
const SHARED = 'shared'

/**
 * Puts links into a release to what all releases have in common: what the first one brings along
 * is taken over, and folders (a slash at the end) are made. Each part may run again. All of it
 * runs as the account; 409 where a link of the repository's would lead it out of the release.
 */
export const sharePaths = async (
  run: RunAs,
  { place, release }: { place: string; release: string },
  paths: readonly string[],
): Promise<void> => {
  const must = async (program: string, args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await run(program, args)
    if (code === 0) return stdout.replace(/\n$/, '')
    throw conflict(`What releases share could not be linked: ${stderr.trim().slice(0, 300)}`)
  }
  const is = async (test: '-e' | '-L', path: string): Promise<boolean> =>
    (await run('/usr/bin/test', [test, path])).code === 0
  const real = (path: string): Promise<string> => must('/usr/bin/realpath', ['-m', '--', path])

  const share = async (given: string): Promise<void> => {
    const path = given.replace(/\/$/, '')
    const inRelease = join(release, path)
    const common = join(place, SHARED, path)
    // What a link in the way leads to would be moved or removed there.
    const parents = [
      [release, dirname(inRelease)],
      [join(place, SHARED), dirname(common)],
    ] as const
    for (const [top, parent] of parents) {
      const wanted = join(await real(top), parent.slice(top.length))
      if ((await real(parent)) !== wanted)
        throw conflict(`A link stands in the way of ${path}, which releases share.`)
      await must('/bin/mkdir', ['-p', '--', parent])
    }
    const isThere = (await is('-e', common)) || (await is('-L', common))
    if (!(await is('-L', inRelease)) && (await is('-e', inRelease)))
      await (isThere
        ? must('/bin/rm', ['-rf', '--one-file-system', '--', inRelease])
        : must('/bin/mv', ['-T', '--', inRelease, common]))
    else if (!isThere && given.endsWith('/')) await must('/bin/mkdir', ['--', common])
    const up = '../'.repeat(path.split('/').length + 1)
    await must('/bin/ln', ['-sfnT', '--', `${up}${SHARED}/${path}`, inRelease])
  }

  for (const path of paths) {
    if (sharedPathFault(path) !== null) throw new AppError(400, 'paths are none of a release.')
    await share(path)
  }
}
