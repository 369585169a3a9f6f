import { z } from 'zod'
import { conflict } from '#handlers/errors.ts'
import type { RegisteredAccount, Registry } from '../../registry/types.ts'
import { foreignKeysSchema } from './foreign-keys.ts'
import { networkSchema } from './network-of-copy.ts'
import type { NetworkMove } from './network-of-copy.ts'
import { openPlace } from '../places/open-place.ts'
import type { OpenPlace } from '../places/open-place.ts'
import type { RunInSite, RunOptions } from '../run-in-site.ts'
import { sitesOf } from '../places/sites-of.ts'

/** Of a large site. */
const LONG_MS = 1_800_000
const SURVEY_MS = 120_000
/** As many as the runner takes, with what there is to say of each. */
const MOST_TABLES = 20_000
const SURVEY_BYTES = 8 * 2 ** 20

const count = z.number().int().nonnegative()
const surveySchema = z.object({
  files: z.object({ bytes: count, entries: count }),
  database: z.string().max(64),
  prefix: z.string().max(64),
  tables: z
    .array(z.object({ name: z.string().min(1).max(64), rows: count, bytes: count }))
    .max(MOST_TABLES),
  /** Of all of the database. */
  keys: foreignKeysSchema,
  home: z.string().max(2000),
  siteurl: z.string().max(2000),
  network: networkSchema.nullable(),
})

/** What the runner told of a site. */
export type SurveyedSite = z.output<typeof surveySchema>

/** A WordPress that a copy is made of, or goes to. */
export interface OpenSite extends OpenPlace {
  url: string
  /** Gives the runner an order for it, by default for its own folder. */
  run(order: { op: string } & Record<string, unknown>, options?: RunOptions): Promise<void>
  /** The number of the site of a network that answers at an address. */
  siteAt(url: string): Promise<number>
  survey(without?: readonly string[]): Promise<SurveyedSite>
}

/** An address without what does not tell it from others. */
const bare = (address: string): string =>
  address
    .replace(/^https?:\/\//, '')
    .replace(/^www\./, '')
    .replace(/\/$/, '')

/** 409, with what can be done instead, where pages and files have different addresses. */
export const assertOneAddress = ({ home, siteurl }: SurveyedSite): void => {
  if (bare(home) === bare(siteurl)) return
  throw conflict(
    `The pages of this WordPress are at ${home} and its files at ${siteurl}, and a copy has one address. Give it one (Settings, General: both addresses the same), or copy its files and its database by themselves.`,
  )
}

/** The document roots of other sites below a folder, which are no part of what is in it. */
export const rootsBelow = (
  registry: Pick<Registry, 'vhostsOf'>,
  account: RegisteredAccount,
  path: string,
): string[] =>
  sitesOf(registry, account).flatMap(({ root }) =>
    root.startsWith(`${path}/`) ? [root.slice(path.length + 1)] : [],
  )

/** All addresses under which a site may speak of itself, and its folder, with what comes instead; `hosts` where it is a network. */
export const addressPairs = (
  from: Pick<OpenSite, 'url' | 'folder'>,
  { home, siteurl }: Pick<SurveyedSite, 'home' | 'siteurl'>,
  to: { url: string; folder: string },
  move: NetworkMove | null,
): { pairs: Record<string, string>; hosts: Record<string, string> } => {
  const folders = { [from.folder]: to.folder }
  if (move !== null) return { pairs: folders, hosts: move.hosts }
  const named = [home, siteurl, from.url].map((url) => url.replace(/\/$/, ''))
  const both = named.flatMap((url) => {
    const rest = url.replace(/^https?:\/\//, '')
    return rest === '' ? [] : [`http://${rest}`, `https://${rest}`]
  })
  const address = to.url.replace(/\/$/, '')
  return {
    pairs: { ...Object.fromEntries(both.map((one) => [one, address])), ...folders },
    hosts: {},
  }
}

/** Opens sites; as `openPlace`. */
export const createOpenSite =
  ({
    registry,
    runInSite,
  }: {
    registry: Pick<Registry, 'account' | 'vhost' | 'vhostsOf'>
    runInSite: RunInSite
  }) =>
  (
    input: { username: string; path: string; url: string },
    options: { whileSuspended?: boolean } = {},
  ): OpenSite => {
    const place = openPlace(registry, input, options)
    const { account, path, folder, phpVersion } = place
    const { url } = input
    return {
      ...place,
      url,
      async run(order, limits) {
        const whole = { folder, url, ...order }
        const bounds = { timeoutMs: LONG_MS, ...limits }
        await runInSite(account, phpVersion, whole, z.unknown(), bounds)
      },
      async siteAt(at) {
        const order = { op: 'site-at', folder, url: at }
        return (await runInSite(account, phpVersion, order, z.object({ site: count }))).site
      },
      async survey(without = []) {
        const order = {
          ...{ op: 'survey', folder, url },
          without: [...rootsBelow(registry, account, path), ...without],
        }
        const limits = { timeoutMs: SURVEY_MS, mostBytes: SURVEY_BYTES }
        return runInSite(account, phpVersion, order, surveySchema, limits)
      },
    }
  }
