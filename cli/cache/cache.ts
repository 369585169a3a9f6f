import { CliError } from '../cli-error.ts'
import { ManagementClient } from '../client.ts'
import { loadOrFail } from '../load-or-fail.ts'
import type { CommandOptions } from '../panel/frame/command-options.ts'
import { given } from '../panel/frame/command-options.ts'
import type { ResourceSpec } from '../panel/frame/command-types.ts'
import { showCacheStats } from './show-stats.ts'
import { warm } from './warm.ts'

/** The query that a purge sends, or an error when the options do not say exactly one thing. */
const purgeQuery = (options: CommandOptions) => {
  const { domain, path, tag } = options.texts('domain', 'path', 'tag')
  const chosen = [options.isOn('all'), domain !== undefined, tag !== undefined].filter(Boolean)
  if (chosen.length !== 1)
    throw new CliError(
      'Say what to purge, one of: --all, --domain <domain> [--path <path>], --tag <tag>.',
      2,
    )
  if (path !== undefined && domain === undefined)
    throw new CliError('--path needs --domain: the same path exists on every site.', 2)
  return given({ domain, path, tag, soft: options.isOn('soft') ? '1' : undefined })
}

const subjectOf = ({ domain, path = '', tag }: Record<string, string>): string =>
  tag === undefined ? (domain ?? 'everything') + path : `tag ${tag}`

const hasUnknownDomain = (answer: unknown): boolean =>
  typeof answer === 'object' && answer !== null && 'unknown_domains' in answer

const isKept = (answer: unknown): boolean =>
  typeof answer === 'object' && answer !== null && 'others' in answer && answer.others === 'kept'

/** `berth cache stats | purge | warm`. */
export const cache: ResourceSpec = {
  name: 'cache',
  summary: 'the page cache of the running web server',
  commands: {
    stats: {
      summary: 'show cache statistics, in all and of each site',
      examples: ['berth cache stats', 'berth cache stats --json | jq .hit_ratio'],
      async act({ configFile, print }) {
        const client = new ManagementClient(await loadOrFail(configFile))
        const data = await client.call('GET', '/cache/stats')
        print(data, () => showCacheStats(data))
      },
    },
    purge: {
      summary: 'remove pages from the cache',
      options: [
        ['--all', 'everything'],
        ['--domain <domain>', 'all pages of a site, under all its names'],
        ['--path <path>', 'with --domain: only this page, or pages below it: /blog/*'],
        ['--tag <tag>', 'all pages with this tag'],
        ['--soft', 'pages become stale: the next visitor gets the old one while it is made anew'],
      ],
      examples: [
        'berth cache purge --all',
        "berth cache purge --domain shop.example --path '/blog/*' --soft",
        'berth cache purge --tag product-17',
      ],
      async act({ configFile, options, print }) {
        const query = purgeQuery(options)
        const client = new ManagementClient(await loadOrFail(configFile))
        const answer = await client.call('POST', '/cache/purge', query)
        if (hasUnknownDomain(answer))
          throw new CliError(
            `"${query['domain']}" is no name of a virtual host. Check the spelling; \`berth config show\` lists the names.`,
            1,
          )
        const later = isKept(answer)
          ? ' Here alone: Redis is away, and other web servers over it hear of it when it is back.'
          : ''
        print(answer, `Purged: ${subjectOf(query)}.${later}`)
      },
    },
    warm,
  },
}
