import { z } from 'zod'
import { CliError } from '../cli-error.ts'
import { givenSome, type CommandOptions } from './frame/command-options.ts'
import type { CommandSpec } from './frame/command-spec.ts'
import { NO_WAIT, runAsJob } from './frame/follow-job.ts'
import { apiPath } from './frame/panel-client.ts'
import { showRecord } from './frame/show-record.ts'

const DOMAIN = ['<domain>', 'name of a site'] as const

const often = z.array(z.object({ name: z.string(), count: z.number() }))
const cpu = z.array(z.object({ at: z.string(), ms: z.number() }))
const shown = z.looseObject({
  history: z.unknown(),
  insight: z
    .looseObject({
      since: z.string(),
      unserved: z.number(),
      files: z.number(),
      reasons: z.array(z.object({ reason: z.string(), count: z.number() })),
      cookies: often,
      pages: z.array(z.object({ path: z.string(), count: z.number(), reason: z.string() })),
      click_ids_only: z.number(),
      application: z.string().nullable(),
      learned_cookies: z.array(z.string()),
      varies: z.object({ since: z.string(), why: z.string(), page: z.string() }).nullable(),
      worker_cpu: cpu,
      account_cpu: cpu.nullable(),
      purges: z.array(
        z.looseObject({
          at: z.string(),
          scope: z.string(),
          items: z.array(z.string()),
          count: z.number(),
          cause: z.string(),
        }),
      ),
    })
    .nullable(),
})
type Insight = NonNullable<z.output<typeof shown>['insight']>

/** The last hour in a line; what each minute had is in `--json`. */
const cpuText = (minutes: z.output<typeof cpu>): string => {
  const sum = minutes.reduce((total, { ms }) => total + ms, 0)
  const most = minutes.reduce((top, { ms }) => Math.max(top, ms), 0)
  return `${(sum / 1000).toFixed(2)} s in an hour, at most ${(most / 1000).toFixed(2)} s in a minute`
}

/** Why visitors were not served, with what was seen most often as one line each. */
const insightLines = (insight: Insight): Record<string, unknown> => {
  const share = (count: number): string =>
    `${count} (${((count / Math.max(1, insight.unserved)) * 100).toFixed(1)} %)`
  return {
    since: insight.since,
    unserved: insight.unserved,
    files: insight.files,
    application: insight.application,
    learned_cookies: insight.learned_cookies,
    varies:
      insight.varies &&
      `by ${insight.varies.why} at ${insight.varies.page}, since ${insight.varies.since}`,
    click_ids_only: share(insight.click_ids_only),
    reasons: Object.fromEntries(insight.reasons.map(({ reason, count }) => [reason, share(count)])),
    cookies: insight.cookies.map(({ name, count }) => `${name}: ${share(count)}`),
    pages: insight.pages.map(({ path, count, reason }) => `${path}: ${count}, ${reason}`),
    cpu_of_workers: cpuText(insight.worker_cpu),
    cpu_of_account: insight.account_cpu && cpuText(insight.account_cpu),
    purges: insight.purges.map(
      ({ at, scope, items, count, cause }) =>
        `${at} ${scope === 'all' ? 'all' : items.length === 0 ? `${count} ${scope}` : items.join(' ')} by ${cause}`,
    ),
  }
}

const cache: CommandSpec = {
  name: 'cache',
  summary:
    'show the page cache of a site: its rules, hits and misses, and why visitors are not served from it',
  args: [DOMAIN],
  examples: ['berth domains cache shop.example'],
  async run({ panel, args: [domain = ''], print }) {
    const data = await panel.call('GET', apiPath`/api/cache/${domain}`)
    print(data, () => {
      const { history: _course, insight, ...facts } = shown.parse(data)
      showRecord({ ...facts, ...(insight && { insight: insightLines(insight) }) })
    })
  },
}

/** A list that is given whole; a single empty text empties it. */
const listOf = (options: CommandOptions, name: string): string[] | undefined =>
  options.list(name)?.filter((entry) => entry !== '')

const rules: CommandSpec = {
  name: 'cache-rules',
  summary: "change the rules of a site's page cache",
  note: 'A list that is given replaces the one before; an empty text empties it. Saving purges the pages of the site.',
  args: [DOMAIN],
  options: [
    [
      '--harmless-cookie <name>',
      'says nothing of who is asking; repeatable, as are all lists',
      { repeatable: true },
    ],
    [
      '--session-cookie <name>',
      'keeps its owner from the cache, beside the known ones',
      { repeatable: true },
    ],
    ['--ignore-param <name>', 'a query parameter that no page depends on', { repeatable: true }],
    ['--application <name>', 'such as wordpress; none; or auto: recognise it'],
    [
      '--fills <who>',
      "whose request fills pages: the visitor's, a neutral one, or auto: as the site turns out",
      { choices: ['auto', 'visitor', 'neutral'] },
    ],
  ],
  examples: [
    'berth domains cache-rules shop.example --harmless-cookie theme --session-cookie member_id',
    "berth domains cache-rules shop.example --ignore-param 'utm_*' --ignore-param fbclid",
    'berth domains cache-rules wiki.example --application dokuwiki --fills neutral',
  ],
  async run({ panel, args: [domain = ''], options, print }) {
    const application = options.text('application')
    const body = givenSome(
      {
        harmless_cookies: listOf(options, 'harmlessCookie'),
        session_cookies: listOf(options, 'sessionCookie'),
        ignore_params: listOf(options, 'ignoreParam'),
        application: application === 'auto' ? null : application,
        fills: options.text('fills'),
      },
      '--harmless-cookie, --session-cookie, --ignore-param, --application, --fills',
    )
    const data = await panel.call('PATCH', apiPath`/api/cache/${domain}`, { body })
    print(data, () => showRecord(z.looseObject({ rules: z.unknown() }).parse(data).rules))
  },
}

const forgetCookie: CommandSpec = {
  name: 'forget-cookie',
  summary: 'forget a cookie that a site was seen to set, so that its owners get cached pages again',
  note: 'It is learned again when the site sets it again; to say for good that it tells nothing of who is asking, use berth domains cache-rules --harmless-cookie. The learned ones are shown by berth domains cache.',
  args: [DOMAIN, ['[name]', 'name of the cookie']],
  options: [['--all', 'every cookie that the site was seen to set']],
  examples: [
    'berth domains forget-cookie shop.example theme',
    'berth domains forget-cookie shop.example --all',
  ],
  async run({ panel, args: [domain = '', name = ''], options, print }) {
    if ((name !== '') === options.isOn('all'))
      throw new CliError('Say what to forget: the name of a cookie, or --all.', 2)
    const path =
      name === ''
        ? apiPath`/api/cache/${domain}/cookies`
        : apiPath`/api/cache/${domain}/cookies/${name}`
    const data = await panel.call('DELETE', path)
    print(data, () =>
      console.log(`${name || 'What was learned of cookies'} of ${domain} is forgotten.`),
    )
  },
}

const purge: CommandSpec = {
  name: 'purge',
  summary: 'remove pages of a site from the page cache',
  note: 'On the host itself berth cache purge does the same without the panel.',
  args: [DOMAIN],
  options: [
    ['--all', 'every page'],
    ['--path <path>', 'a page, or pages below it: /blog/*; repeatable', { repeatable: true }],
    ['--tag <tag>', 'pages with this tag; repeatable', { repeatable: true }],
  ],
  examples: [
    'berth domains purge shop.example --all',
    "berth domains purge shop.example --path / --path '/blog/*'",
  ],
  async run({ panel, args: [domain = ''], options, print }) {
    const [all, paths, tags] = [options.isOn('all'), options.list('path'), options.list('tag')]
    if ([all, paths, tags].filter(Boolean).length !== 1)
      throw new CliError('Say what to purge, one of: --all, --path <path>, --tag <tag>.', 2)
    const body = all ? { all } : paths === undefined ? { tags } : { paths }
    const data = await panel.call('POST', apiPath`/api/cache/${domain}/purge`, { body })
    print(data, () => console.log(`Pages of ${domain} were purged.`))
  },
}

const warmed = z.object({
  done: z.number(),
  skipped: z.number(),
  failed: z.number(),
  rejected: z.array(z.object({ url: z.string(), reason: z.string() })),
  problems: z.array(z.object({ url: z.string(), reason: z.string() })),
})

const warm: CommandSpec = {
  name: 'warm',
  summary: 'fill the page cache of a site; exit code 1 when a page failed or was rejected',
  args: [DOMAIN],
  options: [
    ['--path <path>', 'a path, or a URL of the site; repeatable', { repeatable: true }],
    ['--discover', 'home page, sitemap and the pages that they name (default without --path)'],
    NO_WAIT,
  ],
  examples: [
    'berth domains warm shop.example',
    'berth domains warm shop.example --path / --path /sale',
  ],
  async run({ panel, args: [domain = ''], options, print }) {
    const urls = options.list('path')
    const discover = options.isOn('discover') || urls === undefined
    const wait = options.flag('wait') !== false
    const body = { ...(urls === undefined ? {} : { urls }), ...(discover ? { discover } : {}) }
    const data = await runAsJob(panel, 'POST', apiPath`/api/cache/${domain}/warm`, { body }, wait)
    if (!wait) return print(data, () => showRecord(data))
    const { done, skipped, failed, rejected, problems } = warmed.parse(data)
    print(data, () => {
      console.log(`${done} pages were warmed, ${skipped} skipped, ${failed} failed.`)
      for (const { url, reason } of [...rejected, ...problems]) console.error(`${url}: ${reason}`)
    })
    if (failed > 0 || rejected.length > 0) process.exitCode = 1
  },
}

/** `berth domains cache | cache-rules | forget-cookie | purge | warm`. */
export const siteCache: readonly CommandSpec[] = [cache, rules, forgetCookie, purge, warm]
