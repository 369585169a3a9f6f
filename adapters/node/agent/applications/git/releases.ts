import { join } from 'node:path'
import {
  applicationPlace,
  REPOSITORY_NAME,
} from '#handlers/domain/applications/application-place.ts'
import { RELEASE_NAME } from '#handlers/domain/applications/git-url.ts'
import { publicFolderFault } from '#handlers/domain/applications/release-paths.ts'
import { AppError, conflict } from '#handlers/errors.ts'
import { asUser } from '../../../process/as-user.ts'
import { CLEAN_ENV } from '../../../process/clean-env.ts'
import { runCommand } from '../../../process/run-command.ts'
import type { RegisteredAccount } from '../../registry/types.ts'
import { sharePaths } from './share-paths.ts'

const LIMIT_MS = 120_000
const MOST_NAMES = 1000
const MOST_SUBJECT = 200

/** Folder of the releases in an application's folder, and the link to the one that is live. */
const RELEASES = 'releases'
const CURRENT = 'current'

/** Where programs of an application start: in its folder, or in one of its releases. 400 for a name of none. */
export const folderOf = (home: string, folder: string, release: string | undefined): string => {
  if (release === undefined) return join(home, folder)
  if (!RELEASE_NAME.test(release)) throw new AppError(400, 'release is not the name of one.')
  return join(home, folder, RELEASES, release)
}

/** Releases of applications: folders that are made beside each other, as the account. */
export interface Releases {
  /** Points `current` at a release in one step, and removes those that are not among `keep`. 409 where the release, or what `serves` of it, is not there. */
  switch(
    account: RegisteredAccount,
    folder: string,
    to: { release: string; serves: string; keep: readonly string[] },
  ): Promise<void>
  /** As `ApplicationsPort.share` says. */
  share(
    account: RegisteredAccount,
    folder: string,
    release: string,
    paths: readonly string[],
  ): Promise<void>
  /** The commit in a release; null: there is none. */
  commit(
    account: RegisteredAccount,
    folder: string,
    release: string,
  ): Promise<{ id: string; subject: string } | null>
  /** Makes the application's own repository where it is missing, and says which branch is built. */
  repository(account: RegisteredAccount, name: string, branch: string): Promise<void>
  /** Public key, made when there is none, in one line. */
  key(account: RegisteredAccount, name: string): Promise<string>
}

/** All of it runs as the account, in its room: nothing here follows a link with other rights than its owner's. */
export const createReleases = (asRoot: boolean): Releases => {
  const run = async (account: RegisteredAccount, program: string, args: string[]) => {
    const who = asRoot ? ({ ...account, groups: 'none' } as const) : null
    const line = asUser(who, program, args, { limited: true, workingDirectory: account.home })
    return runCommand(line.program, line.args, {
      cwd: asRoot ? '/' : account.home,
      env: { ...CLEAN_ENV, HOME: account.home, GIT_CONFIG_NOSYSTEM: '1' },
      timeoutMs: LIMIT_MS,
    })
  }
  const must = async (account: RegisteredAccount, program: string, args: string[]) => {
    const { code, stdout, stderr } = await run(account, program, args)
    if (code === 0) return stdout
    throw conflict(`The account's files could not be changed: ${stderr.trim().slice(0, 300)}`)
  }
  return {
    async switch(account, folder, { release, serves, keep }) {
      if (publicFolderFault(serves) !== null)
        throw new AppError(400, 'serves is no folder of a release.')
      if (!RELEASE_NAME.test(release)) throw new AppError(400, 'release is not the name of one.')
      const place = join(account.home, folder)
      const there = await run(account, '/usr/bin/test', ['-d', join(place, RELEASES, release)])
      if (there.code !== 0) throw conflict(`There is no release ${release} any more.`)
      const served = join(place, RELEASES, release, serves)
      if ((await run(account, '/usr/bin/test', ['-d', served])).code !== 0)
        throw conflict(`The release has no folder ${serves}, which is to be served.`)
      const fresh = join(place, `.${CURRENT}.${release}`)
      await must(account, '/bin/ln', ['-sfnT', '--', join(RELEASES, release), fresh])
      await must(account, '/bin/mv', ['-fT', '--', fresh, join(place, CURRENT)])
      const kept = new Set([release, ...keep])
      const names = (await must(account, '/bin/ls', ['-1', '--', join(place, RELEASES)]))
        .split('\n')
        .slice(0, MOST_NAMES)
        .filter((name) => RELEASE_NAME.test(name) && !kept.has(name))
      for (const name of names)
        await must(account, '/bin/rm', [
          '-rf',
          '--one-file-system',
          '--',
          join(place, RELEASES, name),
        ])
    },
    async share(account, folder, release, paths) {
      const place = join(account.home, folder)
      const inRelease = folderOf(account.home, folder, release)
      await sharePaths(
        (program, args) => run(account, program, args),
        { place, release: inRelease },
        paths,
      )
    },
    async commit(account, folder, release) {
      const place = folderOf(account.home, folder, release)
      const { code, stdout } = await run(account, '/usr/bin/git', [
        ...['-C', place],
        ...['log', '-1', '--no-show-signature', '--format=%H%n%s', '--'],
      ])
      const [id = '', subject = ''] = stdout.split('\n')
      return code === 0 && /^[0-9a-f]{40,64}$/.test(id)
        ? { id, subject: subject.slice(0, MOST_SUBJECT) }
        : null
    },
    async repository(account, name, branch) {
      const place = join(account.home, applicationPlace(name))
      const there = join(place, REPOSITORY_NAME)
      await must(account, '/bin/mkdir', ['-p', '-m', '0711', '--', place])
      if ((await run(account, '/usr/bin/test', ['-d', join(there, 'refs')])).code !== 0)
        await must(account, '/usr/bin/git', [
          ...['init', '--quiet', '--bare', '--template=', `--initial-branch=${branch}`],
          ...['--', there],
        ])
      await must(account, '/usr/bin/git', [
        ...[`--git-dir=${there}`, 'symbolic-ref', '--', 'HEAD', `refs/heads/${branch}`],
      ])
    },
    async key(account, name) {
      const place = join(account.home, applicationPlace(name))
      const file = join(place, 'deploy-key')
      await must(account, '/bin/mkdir', ['-p', '-m', '0711', '--', place])
      const known = await run(account, '/usr/bin/ssh-keygen', ['-y', '-P', '', '-f', file])
      if (known.code !== 0)
        await must(account, '/usr/bin/ssh-keygen', [
          ...['-q', '-t', 'ed25519', '-N', '', '-C', `${account.username}-${name}`, '-f', file],
        ])
      const { stdout } =
        known.code === 0
          ? known
          : await run(account, '/usr/bin/ssh-keygen', ['-y', '-P', '', '-f', file])
      const [line = ''] = stdout.split('\n')
      if (!/^ssh-ed25519 [A-Za-z0-9+/=]{1,200}(?: [\w.@-]{0,100})?$/.test(line))
        throw conflict(
          `The file ${applicationPlace(name)}/deploy-key is no key of ours. Remove it.`,
        )
      return line
    },
  }
}
