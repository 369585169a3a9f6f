import { join } from 'node:path'
import { promises as dns } from 'node:dns'
import { fileURLToPath } from 'node:url'
import { isIP } from 'node:net'
import {
  applicationPlace,
  REPOSITORY_NAME,
  USUAL_BRANCH,
} from '#handlers/domain/applications/application-place.ts'
import { gitRefFault, parseGitUrl, RELEASE_NAME } from '#handlers/domain/applications/git-url.ts'
import type { GitSource } from '#handlers/domain/applications/git-url.ts'
import { AppError, invalid } from '#handlers/errors.ts'
import type { CronProgram } from '#handlers/ports/host/cron.ts'
import { isInternetAddress } from '../../../process/guarded-lookup.ts'

const GIT = '/usr/bin/git'
const SSH = fileURLToPath(new URL('./git-ssh.sh', import.meta.url))
const MOST_ADDRESSES = 8

/** A program with its arguments, and variables that it has beside others. */
export interface SourceCommand {
  argv: string[]
  env: Record<string, string>
}

/** Whose application asks. */
interface Asking {
  home: string
  name: string
}

/** Addresses of a host that may be connected to. 400 where one of them may not. */
const addressesOf = async ({ host }: GitSource, mayBeLocal: boolean): Promise<string[]> => {
  const all =
    isIP(host) === 0
      ? (await dns.lookup(host, { all: true }).catch(() => [])).map(({ address }) => address)
      : [host]
  if (all.length === 0) throw invalid('url', `url names ${host}, which has no address.`)
  const local = all.find((address) => !isInternetAddress(address))
  if (local !== undefined && !mayBeLocal)
    throw invalid(
      'url',
      `url leads to ${local}, which does not lie in the internet. An administrator can allow that: allow_local_sources = true in [applications].`,
    )
  return all.slice(0, MOST_ADDRESSES)
}

const bracketed = (address: string): string => (isIP(address) === 6 ? `[${address}]` : address)

/** Variables by which nobody's settings of git count. */
const OWN_SETTINGS = {
  GIT_TERMINAL_PROMPT: '0',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ASKPASS: '/bin/false',
}
const CHECKED = ['-c', 'core.hooksPath=/dev/null', '-c', 'transfer.fsckObjects=true']

/** The same from the repository to which its owner pushes: no place but that, and no other transport. */
const fromOwn = (
  { ref, release }: { ref: string | null; release: string },
  { home, name }: Asking,
): SourceCommand => {
  if (ref !== null && gitRefFault(ref) !== null)
    throw invalid('branch', `branch ${gitRefFault(ref)}`)
  if (!RELEASE_NAME.test(release)) throw new AppError(400, 'release is not the name of one.')
  const repository = join(home, applicationPlace(name), REPOSITORY_NAME)
  return {
    argv: [
      ...[GIT, ...CHECKED, 'clone', '--depth=1', '--single-branch', '--no-tags'],
      ...['--no-recurse-submodules', '--progress', `--branch=${ref ?? USUAL_BRANCH}`],
      ...['--', `file://${repository}`, `releases/${release}`],
    ],
    env: { GIT_ALLOW_PROTOCOL: 'file', ...OWN_SETTINGS },
  }
}

/**
 * How a repository is fetched into a release, as the account: what was judged is what is
 * connected to, no redirect is followed, no other transport is spoken, and neither the owner's nor
 * the system's settings of git can lead it elsewhere. 400 for an address that may not be asked.
 */
export const fetchSource = async (
  { url, ref, release }: Extract<CronProgram, { kind: 'source' }>,
  { home, name }: Asking,
  mayBeLocal: boolean,
): Promise<SourceCommand> => {
  if (url === null) return fromOwn({ ref, release }, { home, name })
  const source = parseGitUrl(url)
  if (typeof source === 'string') throw invalid('url', `url ${source}`)
  if (ref !== null && gitRefFault(ref) !== null)
    throw invalid('branch', `branch ${gitRefFault(ref)}`)
  if (!RELEASE_NAME.test(release)) throw new AppError(400, 'release is not the name of one.')
  const addresses = await addressesOf(source, mayBeLocal)
  const place = join(home, applicationPlace(name))
  const pins = addresses.map(bracketed).join(',')
  return {
    argv: [
      GIT,
      ...(source.kind === 'https'
        ? ['-c', `http.curloptResolve=${source.host}:${source.port}:${pins}`]
        : []),
      ...['-c', 'http.followRedirects=false', '-c', 'http.proxy=', '-c', 'credential.helper='],
      ...CHECKED,
      ...['clone', '--depth=1', '--single-branch', '--no-tags', '--no-recurse-submodules'],
      ...['--progress', ...(ref === null ? [] : [`--branch=${ref}`])],
      ...['--', source.url, `releases/${release}`],
    ],
    env: {
      GIT_ALLOW_PROTOCOL: source.kind,
      ...OWN_SETTINGS,
      GIT_SSH: SSH,
      GIT_SSH_VARIANT: 'ssh',
      BERTH_SSH_KEY: `${place}/deploy-key`,
      BERTH_SSH_HOSTS: `${place}/known-hosts`,
      BERTH_SSH_HOST: source.host,
      BERTH_SSH_ADDRESS: addresses[0] ?? '',
    },
  }
}
