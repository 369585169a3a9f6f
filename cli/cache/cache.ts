import type { Command } from 'commander'
import { addCacheWarmCommand } from './warm.ts'
import { CliError } from '../cli-error.ts'
import { ManagementClient } from '../client.ts'
import { withExamples } from '../examples.ts'
import { loadOrFail } from '../load-or-fail.ts'
import { readGlobalOptions } from '../options.ts'
import { showCacheStats } from './show-stats.ts'

interface PurgeOptions {
  all?: boolean
  domain?: string
  tag?: string
  path?: string
  soft?: boolean
}

/** The query that a purge sends, or an error when the options do not say exactly one thing. */
const purgeQuery = ({ all, domain, tag, path, soft }: PurgeOptions): Record<string, string> => {
  const chosen = [all === true, domain !== undefined, tag !== undefined].filter(Boolean).length
  if (chosen !== 1)
    throw new CliError(
      'Say what to purge, one of: --all, --domain <domain> [--path <path>], --tag <tag>.',
      2,
    )
  if (path !== undefined && domain === undefined)
    throw new CliError('--path needs --domain: the same path exists on every site.', 2)
  return {
    ...(domain === undefined ? {} : { domain }),
    ...(path === undefined ? {} : { path }),
    ...(tag === undefined ? {} : { tag }),
    ...(soft === true ? { soft: '1' } : {}),
  }
}

const subjectOf = ({ domain, path, tag }: Record<string, string>): string =>
  tag !== undefined
    ? `tag ${tag}`
    : domain === undefined
      ? 'everything'
      : path === undefined
        ? domain
        : `${domain}${path}`

const hasUnknownDomain = (answer: unknown): boolean =>
  typeof answer === 'object' && answer !== null && 'unknown_domains' in answer

/** `berth cache stats | purge | warm`. */
export const addCacheCommands = (program: Command): void => {
  const cache = program.command('cache').description('the page cache of the running web server')
  const stats = cache
    .command('stats')
    .description('show cache statistics, in all and of each site')
    .action(async (_options, command: Command) => {
      const { configFile, json } = readGlobalOptions(command)
      const client = new ManagementClient(await loadOrFail(configFile))
      const data = await client.call('GET', '/cache/stats')
      if (json) console.log(JSON.stringify(data, null, 2))
      else showCacheStats(data)
    })
  withExamples(stats, ['berth cache stats', 'berth cache stats --json | jq .hit_ratio'])
  const purge = cache
    .command('purge')
    .description('remove pages from the cache')
    .option('--all', 'everything')
    .option('--domain <domain>', 'all pages of a site, under all its names')
    .option('--path <path>', 'with --domain: only this page, or pages below it: /blog/*')
    .option('--tag <tag>', 'all pages with this tag')
    .option('--soft', 'pages become stale: the next visitor gets the old one while it is made anew')
    .action(async (options: PurgeOptions, command: Command) => {
      const { configFile, json } = readGlobalOptions(command)
      const query = purgeQuery(options)
      const client = new ManagementClient(await loadOrFail(configFile))
      const answer = await client.call('POST', '/cache/purge', query)
      if (hasUnknownDomain(answer))
        throw new CliError(
          `"${query['domain']}" is no name of a virtual host. Check the spelling; \`berth config show\` lists the names.`,
          1,
        )
      if (json) console.log(JSON.stringify(answer, null, 2))
      else console.log(`Purged: ${subjectOf(query)}.`)
    })
  withExamples(purge, [
    'berth cache purge --all',
    "berth cache purge --domain shop.example --path '/blog/*' --soft",
    'berth cache purge --tag product-17',
  ])
  addCacheWarmCommand(cache)
}
