import { z } from 'zod'
import { conflict } from '#handlers/errors.ts'
import type { RegisteredAccount, Registry } from '../registry/types.ts'
import { foreignKeysSchema } from './foreign-keys.ts'
import { openPlace } from './places/open-place.ts'
import type { OpenPlace } from './places/open-place.ts'
import type { RunInSite, RunOptions } from './run-in-site.ts'
import { sitesOf } from './places/sites-of.ts'

/** Of a large site. */
const LONG_MS = 1_800_000
const SURVEY_MS = 120_000

const count = z.number().int().nonnegative()
const surveySchema = z.object({
  files: z.object({ bytes: count, entries: count }),
  database: z.string().max(64),
  prefix: z.string().max(64),
  tables: z
    .array(z.object({ name: z.string().min(1).max(64), rows: count, bytes: count }))
    .max(2000),
  /** Of all of the database. */
  keys: foreignKeysSchema,
  home: z.string().max(2000),
  siteurl: z.string().max(2000),
  network: z
    .object({
      domain: z.string().max(253),
      path: z.string().max(1000).startsWith('/'),
      networks: count,
      subdomains: z.boolean(),
      others: z.array(z.string().max(253)).max(5),
    })
    .nullable(),
})

/** What the runner told of a site. */
export type SurveyedSite = z.output<typeof surveySchema>

/** A WordPress that a copy is made of, or goes to. */
export interface OpenSite extends OpenPlace {
  url: string
  /** Gives the runner an order for it, by default for its own folder. */
  run(order: { op: string } & Record<string, unknown>, options?: RunOptions): Promise<void>
  survey(without?: readonly string[]): Promise<SurveyedSite>
}

/** An address without what does not tell it from others. */
const bare = (address: string): string =>
  address
    .replace(/^https?:\/\//, '')
    .replace(/^www\./, '')
    .replace(/\/$/, '')

const ONE_BY_ONE =
  'To have one of its sites, export that in its administration (Tools, Export), and import it into a new WordPress.'

/** 409, with what can be done instead, where pages and files have different addresses. */
const assertOneAddress = ({ home, siteurl }: SurveyedSite): void => {
  if (bare(home) === bare(siteurl)) return
  throw conflict(
    `The pages of this WordPress are at ${home} and its files at ${siteurl}, and a copy has one address. Give it one (Settings, General: both addresses the same), or copy its files and its database by themselves.`,
  )
}

/** 409, with what can be done instead, for what a copy cannot be made of: a network whose sites have names of their own, or pages with another address than files. */
export const assertCopied = (found: SurveyedSite): void => {
  const { network } = found
  assertOneAddress(found)
  if (network === null) return
  if (network.networks > 1)
    throw conflict(
      `This WordPress holds several networks of sites, each with an address of its own, and a copy has one. ${ONE_BY_ONE}`,
    )
  if (network.subdomains || network.others.length > 0)
    throw conflict(
      `This WordPress is a network whose sites have names of their own${network.others.length > 0 ? ` (${network.others.join(', ')})` : ''}, for each of which a copy would need another one. Networks whose sites are in folders of one name are copied. ${ONE_BY_ONE}`,
    )
}

/** The same for what cannot go back into the site that a copy was made of. */
export const assertPushed = (found: SurveyedSite, tables: readonly string[]): void => {
  if (tables.length === 0) return
  assertOneAddress(found)
  if (found.network === null) return
  throw conflict(
    `This WordPress is a network of sites, which share tables: with those of the copy, sites and people that were added since it was made would be gone. Push its files alone (files without tables). ${ONE_BY_ONE}`,
  )
}

/** Host and folder of an address, as networks of sites keep them. */
export const networkPlace = (url: string): { domain: string; path: string } => {
  const { hostname, pathname } = new URL(url)
  return { domain: hostname, path: pathname.endsWith('/') ? pathname : `${pathname}/` }
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

/** All addresses under which a site may speak of itself, with what comes instead. */
export const addressPairs = (
  from: Pick<OpenSite, 'url' | 'folder'>,
  { home, siteurl }: Pick<SurveyedSite, 'home' | 'siteurl'>,
  to: { url: string; folder: string },
): Record<string, string> => {
  const named = [home, siteurl, from.url].map((url) => url.replace(/\/$/, ''))
  const both = named.flatMap((url) => {
    const rest = url.replace(/^https?:\/\//, '')
    return rest === '' ? [] : [`http://${rest}`, `https://${rest}`]
  })
  const address = to.url.replace(/\/$/, '')
  return {
    ...Object.fromEntries(both.map((one) => [one, address])),
    [from.folder]: to.folder,
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
      async survey(without = []) {
        const order = {
          ...{ op: 'survey', folder, url },
          without: [...rootsBelow(registry, account, path), ...without],
        }
        const limits = { timeoutMs: SURVEY_MS }
        return runInSite(account, phpVersion, order, surveySchema, limits)
      },
    }
  }
