import type { z } from 'zod'
import type { cacheDetailsSchema, pluginSchema, warmSchema } from '#handlers/panel/cache/schema.ts'
import { CliError } from '../cli-error.ts'
import { given, givenSome, type CommandOptions } from './frame/command-options.ts'
import type { CommandSpec, ResourceSpec } from './frame/command-types.ts'
import { known } from './frame/known.ts'
import { api } from './frame/panel-client.ts'
import { showRecord } from './frame/show-record.ts'

const DOMAIN = ['<domain>', 'name of a site'] as const

type Details = z.output<typeof cacheDetailsSchema>
type Insight = NonNullable<Details['insight']>
type Plugin = z.output<typeof pluginSchema>
type Warmed = z.output<typeof warmSchema>

/** The last hour in a line; what each minute had is in `--json`. */
const cpuText = (minutes: Insight['worker_cpu']): string => {
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
  summary:
    'show the page cache of a site: its rules, hits and misses, and why visitors are not served from it',
  args: [DOMAIN],
  examples: ['berth domains cache shop.example'],
  order: ({ args: [domain] }) => ({
    to: api`GET /api/cache/${domain}`,
    done(data) {
      const { history: _course, insight, ...facts } = known<Details>(data, 'insight')
      showRecord({ ...facts, ...(insight && { insight: insightLines(insight) }) })
    },
  }),
}

/** A list that is given whole; a single empty text empties it. */
const listOf = (options: CommandOptions, name: string): string[] | undefined =>
  options.list(name)?.filter((entry) => entry !== '')

const rules: CommandSpec = {
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
  order({ args: [domain], options }) {
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
    return {
      to: api`PATCH /api/cache/${domain}`,
      body,
      done: (data) => showRecord(known<Details>(data, 'rules').rules),
    }
  },
}

const forgetCookie: CommandSpec = {
  summary: 'forget a cookie that a site was seen to set, so that its owners get cached pages again',
  note: 'It is learned again when the site sets it again; to say for good that it tells nothing of who is asking, use berth domains cache-rules --harmless-cookie. The learned ones are shown by berth domains cache.',
  args: [DOMAIN, ['[name]', 'name of the cookie']],
  options: [['--all', 'every cookie that the site was seen to set']],
  examples: [
    'berth domains forget-cookie shop.example theme',
    'berth domains forget-cookie shop.example --all',
  ],
  order({ args: [domain, name], options }) {
    if (Boolean(name) === options.isOn('all'))
      throw new CliError('Say what to forget: the name of a cookie, or --all.', 2)
    return {
      to: name
        ? api`DELETE /api/cache/${domain}/cookies/${name}`
        : api`DELETE /api/cache/${domain}/cookies`,
      done: `${name || 'What was learned of cookies'} of ${domain} is forgotten.`,
    }
  },
}

const purge: CommandSpec = {
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
  order({ args: [domain], options }) {
    const [all, paths, tags] = [options.isOn('all'), options.list('path'), options.list('tag')]
    if ([all, paths, tags].filter(Boolean).length !== 1)
      throw new CliError('Say what to purge, one of: --all, --path <path>, --tag <tag>.', 2)
    return {
      to: api`POST /api/cache/${domain}/purge`,
      body: all ? { all } : paths === undefined ? { tags } : { paths },
      done: `Pages of ${domain} were purged.`,
    }
  },
}

const warm: CommandSpec = {
  summary: 'fill the page cache of a site; exit code 1 when a page failed or was rejected',
  args: [DOMAIN],
  options: [
    ['--path <path>', 'a path, or a URL of the site; repeatable', { repeatable: true }],
    ['--discover', 'home page, sitemap and the pages that they name (default without --path)'],
  ],
  job: true,
  examples: [
    'berth domains warm shop.example',
    'berth domains warm shop.example --path / --path /sale',
  ],
  order({ args: [domain], options }) {
    const urls = options.list('path')
    const discover = options.isOn('discover') || urls === undefined
    return {
      to: api`POST /api/cache/${domain}/warm`,
      body: given({ urls, discover: discover || undefined }),
      done(data) {
        const fields = ['done', 'skipped', 'failed', 'rejected', 'problems'] as const
        const { done, skipped, failed, rejected, problems } = known<Warmed>(data, ...fields)
        console.log(`${done} pages were warmed, ${skipped} skipped, ${failed} failed.`)
        for (const { url, reason } of [...rejected, ...problems]) console.error(`${url}: ${reason}`)
      },
      failed(data) {
        const { failed, rejected } = known<Warmed>(data, 'failed', 'rejected')
        return failed > 0 || rejected.length > 0
      },
    }
  },
}

const plugin: CommandSpec = {
  summary: "put the plugin berth-cache into a site's WordPress, take it away, or look",
  note: 'It says what each page shows, so that a change makes exactly the pages new that show it; without it a change makes all pages of the site new. One file in wp-content/mu-plugins.',
  args: [DOMAIN],
  options: [
    ['--on', 'put it in place, or bring it up to date'],
    ['--off', 'take it away'],
  ],
  examples: [
    'berth domains cache-plugin blog.example',
    'berth domains cache-plugin blog.example --on',
  ],
  order({ args: [domain], options }) {
    const [on, off] = [options.isOn('on'), options.isOn('off')]
    if (on && off) throw new CliError('Say one of --on and --off.', 2)
    const show = (data: unknown): void =>
      data === null
        ? console.log(`No WordPress is in the document root of ${domain}.`)
        : showRecord(known<Plugin>(data, 'path', 'state'))
    if (!on && !off) return { to: api`GET /api/cache/${domain}/plugin`, done: show }
    return { to: api`PUT /api/cache/${domain}/plugin`, body: { installed: on }, done: show }
  },
}

/** `berth domains cache | cache-plugin | cache-rules | forget-cookie | purge | warm`. */
export const siteCache: ResourceSpec['commands'] = {
  cache,
  'cache-plugin': plugin,
  'cache-rules': rules,
  'forget-cookie': forgetCookie,
  purge,
  warm,
}
