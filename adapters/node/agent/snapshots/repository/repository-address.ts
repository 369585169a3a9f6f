import { mkdir, chmod, lstat } from 'node:fs/promises'
import path from 'node:path'
import { trimEndOf } from '#edge-cache/fields/field-text.ts'
import { LOCAL } from '#handlers/ports/host/backups/backups.ts'
import type { SnapshotPlace } from '#handlers/ports/host/backups/snapshots.ts'
import type { RunAs } from '../../../process/as-user.ts'
import { mustRun } from '../../../process/run-command.ts'
import { checkTarget } from './check-target.ts'
import { openSsh } from './open-ssh.ts'
import { resolveTarget } from '../../backups/remote/open-target.ts'
import type { KnownTarget } from '../../backups/targets/known-target.ts'

/** How restic reaches a repository. Secrets are in `env`, or in private files that `close` removes. */
export interface RepositoryAddress {
  /** `on this host`, or `at "bucket"`. */
  where: string
  /** Its directory, if it is one of this host. */
  directory: string | null
  env: Record<string, string>
  options: string[]
  close(): Promise<void>
}

export interface AddressDeps {
  /** Of this host's own repositories. */
  directory: string
  /** Of ours (0711); in it directories of whom restic runs as: keys for ssh, what test restores write. */
  privateDirectory: string
  user: RunAs | null
  targets: () => readonly KnownTarget[]
}

/** Where a repository lies at a target. */
export const belowOf = (path: string | null, hostId: string, username: string): string =>
  [trimEndOf(path ?? '', '/'), 'snapshots', hostId, username]
    .filter((part) => part !== '')
    .join('/')

/** The directory of a local repository, whoever had that user's number before. */
const localDirectory = async ({ directory, user }: AddressDeps, name: string): Promise<string> => {
  const own = path.join(directory, name)
  const found = await lstat(own).catch(() => null)
  if (found !== null && user !== null && found.uid !== user.uid)
    await mustRun('/usr/bin/chown', [
      ...['--recursive', '--no-dereference', `${user.uid}:${user.gid}`],
      ...['--', own],
    ])
  return own
}

/** Makes the directory that holds local repositories, for who runs restic alone. */
export const prepareLocal = async ({ directory, user }: AddressDeps): Promise<void> => {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  await chmod(directory, 0o700)
  if (user !== null)
    await mustRun('/usr/bin/chown', [
      '--no-dereference',
      `${user.uid}:${user.gid}`,
      '--',
      directory,
    ])
}

/** Where the repository of an account is; `hostId` names the host that made it. 404 for an unknown place. */
export const openAddress = async (
  deps: AddressDeps,
  { username, location }: SnapshotPlace,
  hostId: string,
): Promise<RepositoryAddress> => {
  const nothing = async (): Promise<void> => undefined
  if (location === LOCAL) {
    const directory = await localDirectory(deps, username)
    return {
      where: 'on this host',
      directory,
      env: { RESTIC_REPOSITORY: directory },
      options: [],
      close: nothing,
    }
  }
  const resolved = resolveTarget(deps.targets(), location)
  const { target } = resolved
  const where = `at "${location}"`
  const below = belowOf(target.path, hostId, username)
  if (target.type === 's3') {
    const url = new URL(target.endpoint)
    const address = await checkTarget(location, url.hostname, target.reach)
    // restic asks DNS once more. A server of https must have a certificate of the name;
    // without that the address itself is named.
    if (url.protocol === 'http:') url.hostname = address.includes(':') ? `[${address}]` : address
    const endpoint = trimEndOf(url.href, '/')
    return {
      where,
      directory: null,
      env: {
        RESTIC_REPOSITORY: `s3:${endpoint}/${target.bucket ?? ''}/${below}`,
        AWS_ACCESS_KEY_ID: target.access_key_id ?? '',
        AWS_SECRET_ACCESS_KEY: resolved.secret.value,
        AWS_DEFAULT_REGION: resolved.region,
      },
      options: ['-o', 's3.bucket-lookup=path'],
      close: nothing,
    }
  }
  const ssh = await openSsh(deps, resolved)
  return {
    where,
    directory: null,
    env: { RESTIC_REPOSITORY: `sftp:target:${below}`, ...ssh.env },
    options: ['-o', `sftp.command=${ssh.command}`],
    close: ssh.close,
  }
}
