import { z } from 'zod'
import { CliError } from '../cli-error.ts'
import type { CommandSpec } from './command-spec.ts'
import { NO_WAIT, runAsJob } from './follow-job.ts'
import { apiPath } from './panel-client.ts'
import { showRecord } from './show-record.ts'

const DOMAIN = ['<domain>', 'name of a site'] as const

const cache: CommandSpec = {
  name: 'cache',
  summary: 'show the page cache of a site: its rules, hits and misses',
  args: [DOMAIN],
  examples: ['berth domains cache shop.example'],
  async run({ panel, args: [domain = ''], print }) {
    const data = await panel.call('GET', apiPath`/api/cache/${domain}`)
    print(data, () => {
      const { history: _course, ...facts } = z.looseObject({}).parse(data)
      showRecord(facts)
    })
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

/** `berth domains cache | purge | warm`. */
export const siteCache: readonly CommandSpec[] = [cache, purge, warm]
