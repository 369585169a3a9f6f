import { join } from 'node:path'
import { parsePathBelowHome } from '#handlers/domain/files/home-path.ts'
import { conflict } from '#handlers/errors.ts'
import { activeAccount } from '../../registry/active-account.ts'
import { knownAccount } from '../../registry/known-account.ts'
import type { RegisteredAccount, Registry } from '../../registry/types.ts'
import { placeOf, sitesOf } from './sites-of.ts'
import type { AccountSite } from './sites-of.ts'

/** A folder of an account that a site of it shows. */
export interface OpenPlace {
  account: RegisteredAccount
  username: string
  site: AccountSite
  /** Primary name of the site. */
  domain: string
  /** Relative to the home. */
  path: string
  /** Absolute. */
  folder: string
  phpVersion: string | null
}

/** The site that shows a folder; 409 where none does. */
export const siteShowing = (
  registry: Pick<Registry, 'vhostsOf'>,
  account: RegisteredAccount,
  path: string,
): AccountSite => {
  const place = placeOf(sitesOf(registry, account), path)
  if (place === null) throw conflict(`No site of the account shows the folder "${path}".`)
  return place.site
}

/**
 * Opens a folder to work in; `whileSuspended` also that of a suspended account, to put something
 * back. 404 unknown account, 409 a suspended one, or where no site shows the folder.
 */
export const openPlace = (
  registry: Pick<Registry, 'account' | 'vhost' | 'vhostsOf'>,
  input: { username: string; path: string },
  { whileSuspended = false } = {},
): OpenPlace => {
  const { username } = input
  const account = (whileSuspended ? knownAccount : activeAccount)(registry, username)
  const path = parsePathBelowHome(input.path)
  const site = siteShowing(registry, account, path)
  const { domain } = site
  const phpVersion = registry.vhost(domain)?.php?.version ?? account.phpVersion
  return { account, username, site, domain, path, folder: join(account.home, path), phpVersion }
}
