import { hostNamed } from '../on-hosts/host-named.ts'
import { LOCAL_HOST } from '../../ports/store/host-store.ts'
import { timestamp } from '../../domain/text/timestamp.ts'
import { conflict, forbidden, invalid } from '../../errors.ts'
import type { AccountRow, AccountStatus, PhpMode } from '../../ports/store/records.ts'
import type { PhpPoolState, PhpTest, PhpVersion } from '../../ports/host/php.ts'
import type { ListQuery, Page } from '../../ports/store/store.ts'
import { attemptId } from '../journal/attempts.ts'
import { createOneAtATime } from '../journal/one-at-a-time.ts'
import type { Journal } from '../journal/journal.ts'
import { requireActiveAccount, requireAccount, requireSettledAccount } from '../records/lookup.ts'
import { PHP_CONFIGURE } from './operations.ts'
import type { ServiceDeps } from '../service-deps.ts'
import type { VirtualHosts } from '../virtual-hosts/virtual-hosts.ts'
import { effectivePhp } from '../virtual-hosts/virtual-hosts.ts'

/** What an account's sites run on where they name nothing else. */
export interface PhpSettings {
  /** Null when the host has no PHP at all. */
  version: string | null
  mode: PhpMode
}

/** What one of several accounts runs. */
export interface AccountPhp extends PhpSettings {
  account_id: number
  username: string
  primary_domain: string
  status: AccountStatus
}

/** PHP of accounts. */
export interface Php {
  /** As `PhpPort.versions`: where the account is, else on the machine of that name, default the panel's own. 400, 503. */
  versions(of?: {
    accountId?: number | undefined
    host?: string | undefined
  }): Promise<PhpVersion[]>
  /** What each account runs; the host is asked once, however many there are. */
  list(query: ListQuery): Promise<Page<AccountPhp>>
  /** What runs on the host now. */
  pools(): Promise<PhpPoolState[]>
  /** Runs a script to see whether PHP works; as the account's user, or as one who owns nothing. 404 unknown account. */
  test(accountId: number | null, version: string, mode: PhpMode): Promise<PhpTest>
  /** What the account runs, its own choice or the host's default. */
  config(accountId: number): Promise<PhpSettings>
  /** Without `mode` the present one stays. One change at a time (409). 403 for `lsapi` on the Community tier, 400 for what is not installed. */
  setVersion(accountId: number, version: string, mode: PhpMode | undefined): Promise<PhpSettings>
}

type Deps = Pick<ServiceDeps, 'store' | 'host' | 'clock' | 'license' | 'log' | 'instance'> & {
  journal: Journal
  vhosts: VirtualHosts
}

const assertInstalled = (versions: readonly PhpVersion[], version: string, mode: PhpMode): void => {
  const found = versions.find((one) => one.version === version)
  if (found === undefined) {
    const choice = versions.map((one) => one.version).join(', ') || 'none'
    throw invalid('version', `version ${version} is not installed. Installed: ${choice}.`)
  }
  if (!found.sapis.includes(mode)) {
    throw invalid(
      'mode',
      `mode ${mode} is not installed for PHP ${version}. Installed: ${found.sapis.join(', ') || 'none'}.`,
    )
  }
}

const settingsOf = (account: AccountRow, versions: readonly PhpVersion[]): PhpSettings => {
  const php = effectivePhp(account, versions)
  return { version: php?.version ?? null, mode: php?.mode ?? account.php_mode }
}

export const createPhp = (deps: Deps): Php => {
  const { store, host, clock, license, journal } = deps
  const onlyOne = createOneAtATime(deps)
  /** Each takes seconds, and they would queue up. */
  const oneAtATime = <T>(account: AccountRow, work: () => Promise<T>): Promise<T> =>
    onlyOne(
      `php:${account.username}`,
      () =>
        conflict(
          `The PHP version of account ${account.username} is being changed. Try again when that is done.`,
        ),
      work,
    )
  return {
    async versions({ accountId, host: name } = {}) {
      const account = accountId === undefined ? null : await store.accountById(accountId)
      return host.of(account?.host_id ?? (await hostNamed(deps, name))).php.versions()
    },
    async list(query) {
      const { rows, total } = await store.listAccounts(query)
      const ids = new Set(rows.map(({ host_id }) => host_id))
      const known = new Map(
        await Promise.all(
          [...ids].map(async (id) => {
            // What runs on a host that does not answer is not known.
            const found = host.of(id).php.versions()
            return [id, await (id === LOCAL_HOST ? found : found.catch(() => []))] as const
          }),
        ),
      )
      const view = (account: AccountRow): AccountPhp => ({
        account_id: account.id,
        username: account.username,
        primary_domain: account.primary_domain,
        status: account.status,
        ...settingsOf(account, known.get(account.host_id) ?? []),
      })
      return { rows: rows.map(view), total }
    },
    pools: async () =>
      (await Promise.all((await host.present()).map((id) => host.of(id).php.pools()))).flat(),
    async test(accountId, version, mode) {
      const account = accountId === null ? null : await requireActiveAccount(store, accountId)
      const tested = host.of(account?.host_id ?? LOCAL_HOST)
      assertInstalled(await tested.php.versions(), version, mode)
      return tested.php.test({ username: account?.username ?? null, version, mode })
    },
    async config(accountId) {
      const account = await requireAccount(store, accountId)
      const { host_id: hostId, php_version: version, php_mode: mode } = account
      // What was chosen is on record; which version is the usual one there, that machine alone knows.
      if (version !== null && (await host.isAway(hostId))) return { version, mode }
      return settingsOf(account, await host.of(hostId).php.versions())
    },
    async setVersion(accountId, version, mode) {
      const settled = await requireSettledAccount(store, accountId)
      const { username } = settled
      const change = async (): Promise<PhpSettings> => {
        const account = await requireActiveAccount(store, accountId)
        const wanted = mode ?? account.php_mode
        if (wanted === 'lsapi' && (await license.current()).tier === 'community') {
          throw forbidden('PHP mode lsapi needs a Pro or Business license. Choose fpm or cgi.')
        }
        assertInstalled(await host.of(account.host_id).php.versions(), version, wanted)
        const before = { php_version: account.php_version, php_mode: account.php_mode }
        const operation = journal.newOperation(PHP_CONFIGURE, username, {
          account_id: accountId,
          ...before,
        })
        await store.openOperation(operation)
        await journal.create(operation, [
          {
            name: 'row',
            run: () =>
              store.updateAccount(accountId, {
                php_version: version,
                php_mode: wanted,
                updated_at: timestamp(clock.nowMs()),
              }),
          },
          {
            name: 'php',
            run: () =>
              host.php.configure({
                operationId: attemptId(operation),
                username,
                version,
                mode: wanted,
              }),
          },
          {
            name: 'vhosts',
            run: async () => {
              const now = await requireActiveAccount(store, accountId)
              await host.of(now.host_id).webServer.apply(await deps.vhosts.ofAccount(now))
            },
          },
        ])
        return { version, mode: wanted }
      }
      return oneAtATime(settled, () => journal.exclusively(username, change))
    },
  }
}
