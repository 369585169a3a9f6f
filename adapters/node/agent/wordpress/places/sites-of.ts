import { relative } from 'node:path'
import { notFound } from '#handlers/errors.ts'
import type { RegisteredAccount, Registry } from '../../registry/types.ts'

/** A site of an account. */
export interface AccountSite {
  /** Primary name. */
  domain: string
  username: string
  /** Document root relative to the home; empty: the home itself. */
  root: string
}

/** The site of a primary name; 404 where there is none. */
export const siteOf = (
  registry: Pick<Registry, 'account' | 'vhost'>,
  domain: string,
): AccountSite => {
  const host = registry.vhost(domain)
  const account = host === null ? null : registry.account(host.username)
  if (host === null || account === null) throw notFound(`${domain} is no site of this panel.`)
  return { domain, username: host.username, root: relative(account.home, host.root) }
}

/** The sites of an account, the one that a path would be shown by first: the longest document roots. */
export const sitesOf = (
  registry: Pick<Registry, 'vhostsOf'>,
  { username, home }: RegisteredAccount,
): AccountSite[] =>
  registry
    .vhostsOf(username)
    .map(({ domain, root }) => ({ domain, username, root: relative(home, root) }))
    .filter(({ root }) => !root.startsWith('..'))
    .sort((a, b) => b.root.length - a.root.length || (a.domain < b.domain ? -1 : 1))

/** The site that shows a path of the home, and where below its document root; null where none does. */
export const placeOf = (
  sites: readonly AccountSite[],
  path: string,
): { site: AccountSite; directory: string } | null => {
  for (const site of sites) {
    const { root } = site
    if (path === root) return { site, directory: '' }
    if (root === '') return { site, directory: path }
    if (path.startsWith(`${root}/`)) return { site, directory: path.slice(root.length + 1) }
  }
  return null
}
