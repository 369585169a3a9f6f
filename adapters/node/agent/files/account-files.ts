import { parseHomePath } from '#handlers/domain/files/home-path.ts'
import { placeholderPage } from '#handlers/domain/domains/placeholder-page.ts'
import { invalid } from '#handlers/errors.ts'
import type { Registry } from '../registry/types.ts'
import type { AccountFiles } from '../accounts/account-work.ts'
import type { DiskUsage } from './disk-usage-cache.ts'
import type { HelperPool } from './helper-pool.ts'
import { knownAccount } from '../registry/known-account.ts'

const EMPTY_TIMEOUT_MS = 600_000
/** The tenant can halt a helper; what others wait for must not wait long for that. */
const ENSURE_TIMEOUT_MS = 5000

/** What the users port does in homes, done by helpers. */
export const createAccountFiles = (helpers: HelperPool, usage: DiskUsage): AccountFiles => ({
  populate: async (account, primaryDomain) => {
    await helpers.ask(account, { op: 'populate', page: placeholderPage(primaryDomain) })
  },
  empty: async (account) => {
    await helpers.ask(account, { op: 'empty' }, { timeoutMs: EMPTY_TIMEOUT_MS })
  },
  usedBytes: (account) => usage.usedBytes(account),
  closedDuring: async (username, work) => {
    usage.forget(username)
    await helpers.closedDuring(username, work)
  },
})

/**
 * Creates a directory (absolute, in the account's home) and its missing parents
 * as the account; one that is there already is fine. 400 outside the home, 403
 * through a link that leads out of it, 404 unknown account.
 */
export const createEnsureDirectory =
  (registry: Pick<Registry, 'account'>, helpers: HelperPool) =>
  async (username: string, path: string): Promise<void> => {
    const account = knownAccount(registry, username)
    if (path !== account.home && !path.startsWith(`${account.home}/`))
      throw invalid('document_root', `"${path}" is not inside the account's home directory.`)
    await helpers.ask(
      account,
      {
        op: 'ensure',
        path: parseHomePath(path.slice(account.home.length).replace(/^\/+/, '')),
      },
      { timeoutMs: ENSURE_TIMEOUT_MS },
    )
  }
