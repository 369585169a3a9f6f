import { promises as dns } from 'node:dns'
import { isIP } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  applicationPlace,
  REPOSITORY_NAME,
} from '#handlers/domain/applications/application-place.ts'
import type { GitSource } from '#handlers/domain/applications/git-url.ts'
import type { SubmoduleSource } from '#handlers/domain/applications/submodules.ts'
import { invalid } from '#handlers/errors.ts'
import { isInternetAddress } from '#handlers/domain/text/internet-address.ts'
import { OWN_SETTINGS } from './git-settings.ts'

const SSH = fileURLToPath(new URL('../git-ssh.sh', import.meta.url))
const MOST_ADDRESSES = 8

/** How git is told to reach a repository. */
export interface Reached {
  /** Options before git's command. */
  options: string[]
  /** Beside those that all of git's runs have. */
  env: Record<string, string>
  url: string
}

/** Whose application asks. */
export interface Asking {
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

/**
 * What was judged is what is connected to: no redirect is followed, no other transport is spoken,
 * and neither the owner's nor the system's settings of git can lead it elsewhere. 400 for an
 * address that may not be asked.
 */
export const reachSource = async (
  source: SubmoduleSource,
  { home, name }: Asking,
  mayBeLocal: boolean,
): Promise<Reached> => {
  if (source.kind === 'own') {
    const repository = join(home, applicationPlace(source.application), REPOSITORY_NAME)
    return {
      options: [],
      env: { GIT_ALLOW_PROTOCOL: 'file', ...OWN_SETTINGS },
      url: `file://${repository}`,
    }
  }
  const addresses = await addressesOf(source, mayBeLocal)
  const place = join(home, applicationPlace(name))
  const pins = addresses.map(bracketed).join(',')
  return {
    options: [
      ...(source.kind === 'https'
        ? ['-c', `http.curloptResolve=${source.host}:${source.port}:${pins}`]
        : []),
      ...['-c', 'http.followRedirects=false', '-c', 'http.proxy=', '-c', 'credential.helper='],
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
    url: source.url,
  }
}
