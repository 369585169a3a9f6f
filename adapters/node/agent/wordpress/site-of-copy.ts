import { z } from 'zod'
import { conflict } from '#handlers/errors.ts'
import type { RegisteredAccount, Registry } from '../registry/types.ts'
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
  home: z.string().max(2000),
  siteurl: z.string().max(2000),
  isNetwork: z.boolean(),
})

/** What the runner told of a site. */
export type SurveyedSite = z.output<typeof surveySchema>

/** A WordPress that a copy is made of, or goes to. */
export interface OpenSite extends OpenPlace {
  url: string
  /** Gives the runner an order for it, by default for its own folder. */
  run(order: { op: string } & Record<string, unknown>, options?: RunOptions): Promise<void>
  /** 409 for a network of sites, and where pages and files have different addresses. */
  survey(without?: readonly string[]): Promise<SurveyedSite>
}

/** An address without what does not tell it from others. */
const bare = (address: string): string =>
  address
    .replace(/^https?:\/\//, '')
    .replace(/^www\./, '')
    .replace(/\/$/, '')

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
        const found = await runInSite(account, phpVersion, order, surveySchema, limits)
        if (found.isNetwork)
          throw conflict('This WordPress is a network of sites, which is not copied.')
        if (bare(found.home) !== bare(found.siteurl))
          throw conflict(
            'The pages of this WordPress have another address than its files, so it is not copied.',
          )
        return found
      },
    }
  }
