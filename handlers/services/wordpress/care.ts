import { invalid } from '../../errors.ts'
import type {
  ReplacedAddress,
  WordpressIntegrity,
} from '../../ports/host/wordpress/wordpress-care.ts'
import type { ListedCronJob } from '../../ports/store/cron-store.ts'
import type { Cron } from '../cron/cron.ts'
import type { ServiceDeps } from '../service-deps.ts'
import type { AdministratorOf, PlaceOf } from './place-of.ts'

/** Who runs what is due in a WordPress: requests of visitors, a cron job of the account, or nobody. */
export type WordpressCron = 'visitors' | 'berth' | 'none'

/** What can be set of a WordPress. */
export interface WordpressSettingsView {
  debug: boolean
  cron: WordpressCron
}

/** Looks after WordPress installations by their folders; 404 where none is, 409 where it does not answer. */
export interface WordpressCare {
  settings(accountId: number, path: string): Promise<WordpressSettingsView>
  /** `bounded`: 403 where the account has as many cron jobs as its plan allows. */
  configure(
    accountId: number,
    path: string,
    change: { debug?: boolean | undefined; cron?: 'visitors' | 'berth' | undefined },
    bounded: boolean,
  ): Promise<WordpressSettingsView>
  /** Answers whose it is; default: the first administrator's. */
  setPassword(
    accountId: number,
    path: string,
    user: string | undefined,
    password: string,
  ): Promise<{ user: string }>
  integrity(accountId: number, path: string): Promise<WordpressIntegrity>
  /** `from`: default the address that the site has now. 400 where they are the same. */
  replaceAddress(
    accountId: number,
    path: string,
    order: { from: string | undefined; to: string; dryRun: boolean },
  ): Promise<ReplacedAddress & { from: string; to: string }>
}

const SCHEDULE = '*/5 * * * *'
const TIME_LIMIT_SECS = 600
const NOTIFY_AFTER = 12

const withoutSlash = (address: string): string => address.replace(/\/$/, '')

export const createWordpressCare = (
  { host }: Pick<ServiceDeps, 'host'>,
  { placeOf, administratorOf }: { placeOf: PlaceOf; administratorOf: AdministratorOf },
  cron: Pick<Cron, 'list' | 'create' | 'change' | 'remove'>,
): WordpressCare => {
  const commandOf = (path: string): string[] => ['php', `${path}/wp-cron.php`]
  const jobOf = async (accountId: number, path: string): Promise<ListedCronJob | undefined> => {
    const command = JSON.stringify(commandOf(path))
    const { rows } = await cron.list(accountId, {})
    return rows.find((job) => job.kind === 'command' && job.command === command)
  }
  const view = async (
    accountId: number,
    path: string,
    { debug, withoutCron }: { debug: boolean; withoutCron: boolean },
  ): Promise<WordpressSettingsView> => {
    if (!withoutCron) return { debug, cron: 'visitors' }
    const job = await jobOf(accountId, path)
    return { debug, cron: job?.enabled === true ? 'berth' : 'none' }
  }
  const ensureJob = async (accountId: number, path: string, bounded: boolean): Promise<void> => {
    const job = await jobOf(accountId, path)
    if (job?.enabled === true) return
    if (job !== undefined) {
      await cron.change(accountId, job.id, { enabled: true })
      return
    }
    const settings = {
      ...{ name: `WordPress ${path}`.slice(0, 100), schedule: SCHEDULE, time_zone: 'UTC' },
      ...{ kind: 'command' as const, command: JSON.stringify(commandOf(path)), enabled: true },
      ...{ time_limit_secs: TIME_LIMIT_SECS, overlap: 'skip' as const },
      notify_after: NOTIFY_AFTER,
    }
    await cron.create(accountId, settings, bounded)
  }

  return {
    async settings(accountId, path) {
      const { username } = await placeOf(accountId, path)
      return view(accountId, path, await host.wordpressCare.settings({ username, path }))
    },
    async configure(accountId, path, { debug, cron: who }, bounded) {
      const { username } = await placeOf(accountId, path)
      // The job first: between the two steps what is due is run twice rather than by nobody.
      if (who === 'berth') await ensureJob(accountId, path, bounded)
      const now = await host.wordpressCare.configure({
        ...{ username, path },
        ...(debug === undefined ? {} : { debug }),
        ...(who === undefined ? {} : { withoutCron: who === 'berth' }),
      })
      const job = who === 'visitors' ? await jobOf(accountId, path) : undefined
      if (job !== undefined) await cron.remove(accountId, job.id)
      return view(accountId, path, now)
    },
    async setPassword(accountId, path, user, password) {
      const place = await placeOf(accountId, path)
      const { id, login } = await administratorOf(place, user)
      await host.wordpressCare.setPassword({ ...place, user: id, password })
      return { user: login }
    },
    async integrity(accountId, path) {
      const { username } = await placeOf(accountId, path)
      return host.wordpressCare.integrity({ username, path })
    },
    async replaceAddress(accountId, path, { dryRun, ...order }) {
      const place = await placeOf(accountId, path)
      const from = withoutSlash(order.from ?? place.url)
      const to = withoutSlash(order.to)
      if (from === to) throw invalid('to', 'to is the address that it has already.')
      const counts = await host.wordpressCare.replaceAddress({ ...place, from, to, dryRun })
      return { from, to, ...counts }
    },
  }
}
