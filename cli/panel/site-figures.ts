import type { z } from 'zod'
import type { accountFiguresSchema, figuresSchema } from '#handlers/panel/figures/schema.ts'
import { formatBytes } from '../terminal/format.ts'
import { printTable } from '../terminal/print-table.ts'
import { CliError } from '../cli-error.ts'
import { downloadTo } from './files/transfer.ts'
import type { CommandSpec } from './frame/command-types.ts'
import { known } from './frame/known.ts'
import { findAccount, findDomain } from './frame/lookup.ts'
import { apiPath } from './frame/panel-client.ts'
import { showRecord } from './frame/show-record.ts'

type Figures = z.output<typeof figuresSchema>
type Day = Figures['days'][number]

/** Of each list; `--json` has more. */
const ROWS = 10

const percent = (hits: number, misses: number): string | null =>
  hits + misses === 0 ? null : ((hits / (hits + misses)) * 100).toFixed(1)

const show = (figures: Figures): void => {
  printTable<Day>(
    figures.days,
    [
      { title: 'DAY (UTC)', value: ({ day }) => day },
      { title: 'VISITORS', value: ({ visitors }) => visitors, right: true },
      { title: 'REQUESTS', value: ({ requests }) => requests, right: true },
      { title: 'OF PROGRAMS', value: ({ bot_requests }) => bot_requests, right: true },
      { title: 'SENT', value: ({ bytes }) => formatBytes(bytes), right: true },
      { title: 'CACHE HIT %', value: ({ hits, misses }) => percent(hits, misses), right: true },
      { title: 'ERRORS', value: ({ statuses }) => statuses['4xx'] + statuses['5xx'], right: true },
    ],
    'Nobody was counted on these days.',
  )
  if (figures.days.length === 0) return
  const counted = (name: string, count: number): string => `${count} ${name}`
  console.log('')
  showRecord({
    pages: figures.pages.slice(0, ROWS).map(({ path, count }) => counted(path, count)),
    slow_pages: figures.slow_pages
      .slice(0, ROWS)
      .map(({ path, mean_ms, longest_ms }) => `${path}: ${mean_ms} ms, at most ${longest_ms} ms`),
    missing_pages: figures.missing_pages
      .slice(0, ROWS)
      .map(({ path, count }) => counted(path, count)),
    referrers: figures.referrers.slice(0, ROWS).map(({ host, count }) => counted(host, count)),
    bots: figures.bots.slice(0, ROWS).map(({ name, count }) => counted(name, count)),
    statuses: figures.statuses.slice(0, ROWS).map(({ status, count }) => counted(status, count)),
  })
}

type AccountFigures = z.output<typeof accountFiguresSchema>

/** `berth accounts figures`. */
export const accountFigures: CommandSpec = {
  summary: 'show the visitors of all sites of an account, site by site',
  note: 'Days are those of UTC and kept for 13 months; --json has them day by day. Visitors of different days or sites cannot be told apart: the figures are sums.',
  args: [['<account>', 'username or number']],
  options: [
    ['--from <day>', 'first day, such as 2026-11-01 (default: 29 days before the last)'],
    ['--to <day>', 'last day (default: today)'],
  ],
  examples: ['berth accounts figures alice', 'berth accounts figures alice --from 2026-01-01'],
  async run({ panel, args: [name], options, print }) {
    const path = apiPath`/api/accounts/${(await findAccount(panel, name)).id}/figures`
    const query = options.texts('from', 'to')
    const data = known<AccountFigures>(await panel.call('GET', path, { query }), 'days', 'sites')
    print(data, () =>
      printTable<AccountFigures['sites'][number]>(
        data.sites,
        [
          { title: 'SITE', value: ({ domain_name }) => domain_name },
          { title: 'VISITORS', value: ({ visitors }) => visitors, right: true },
          { title: 'REQUESTS', value: ({ requests }) => requests, right: true },
          { title: 'OF PROGRAMS', value: ({ bot_requests }) => bot_requests, right: true },
          { title: 'SENT', value: ({ bytes }) => formatBytes(bytes), right: true },
          { title: 'CACHE HIT %', value: ({ hits, misses }) => percent(hits, misses), right: true },
        ],
        'Nobody was counted on these days.',
      ),
    )
  },
}

/** `berth domains figures`. */
export const figures: CommandSpec = {
  summary: 'show the visitors of a site, day by day',
  note: 'Days are those of UTC and kept for 13 months. With --csv the days are written as a table; what was asked for most is in --json.',
  args: [
    ['<domain>', 'name or number'],
    [
      '[file]',
      'with --csv: where to; - is standard output (default: here, as <domain>-visitors.csv)',
    ],
  ],
  options: [
    ['--from <day>', 'first day, such as 2026-11-01 (default: 29 days before the last)'],
    ['--to <day>', 'last day (default: today)'],
    ['--csv', 'write the days as a table'],
    ['--force', 'replace a file that is there'],
  ],
  examples: [
    'berth domains figures shop.example',
    'berth domains figures shop.example --from 2026-01-01 --to 2026-12-31 --csv year.csv',
  ],
  async run(call) {
    const { panel, args, options, print } = call
    const [name, to] = args
    if (to !== undefined && to !== '' && !options.isOn('csv'))
      throw new CliError('A file is written with --csv only.', 2)
    const domain = await findDomain(panel, name)
    const span = options.texts('from', 'to')
    if (options.isOn('csv')) {
      const path = apiPath`/api/domains/${domain.id}/figures.csv`
      return downloadTo(call, to, `${domain.domain_name}-visitors.csv`, path, span)
    }
    const path = apiPath`/api/domains/${domain.id}/figures`
    const data = known<Figures>(await panel.call('GET', path, { query: span }), 'days', 'pages')
    print(data, () => show(data))
  },
}
