import type { z } from 'zod'
import type { logLineSchema, logPageSchema, logSourceSchema } from '#handlers/panel/logs/schema.ts'
import { CliError } from '../cli-error.ts'
import { formatBytes } from '../terminal/format.ts'
import { paint, type Paint } from '../terminal/paint.ts'
import { readableLine } from '../terminal/readable-line.ts'
import type { CommandSpec, OptionSpec, PanelCall, ResourceSpec } from './frame/command-types.ts'
import { known } from './frame/known.ts'
import { listCommand } from './frame/list-command.ts'
import { api, apiPath } from './frame/panel-client.ts'
import { readEvents } from './frame/read-events.ts'
import { downloadTo } from './files/transfer.ts'

const LOG = [
  '<log>',
  'as berth logs list shows it: access, error, php, hooks, web, panel, agent',
] as const
const FILTERS: readonly OptionSpec[] = [
  ['--q <text>', 'only lines with this text'],
  [
    '--level <level>',
    'only this level and what is worse',
    { choices: ['debug', 'info', 'warn', 'error'] },
  ],
  ['--status <status>', 'only this status of the answer, such as 404 or 5xx'],
  ['--method <method>', 'only this method, such as POST'],
  ['--domain <domain>', 'only lines of this site'],
  ['--from <time>', 'only lines from then on: YYYY-MM-DD or "YYYY-MM-DD HH:MM:SS", UTC'],
  ['--until <time>', 'only lines before then'],
  ['--host <host>', 'the log of this machine; see berth hosts list'],
]

type Line = z.output<typeof logLineSchema>

const COLORS: Readonly<Record<string, Paint>> = { error: 'red', warn: 'yellow', debug: 'dim' }

const filtersOf = ({ options }: PanelCall) => ({
  ...options.texts('q', 'level', 'status', 'method', 'domain', 'from', 'host'),
  to: options.text('until'),
})

const show = ({ level, raw }: Line): void => {
  const color = COLORS[level]
  const text = readableLine(raw)
  console.log(color === undefined ? text : paint(color, text))
}

const showLog: CommandSpec = {
  summary: 'show the last lines of a log, the newest last',
  args: [LOG],
  options: [['--lines <number>', 'how many, at most 500', { preset: '50' }], ...FILTERS],
  examples: [
    'berth logs show error',
    'berth logs show access --domain shop.example --status 5xx --lines 200',
  ],
  order: (call) => ({
    to: api`GET /api/logs/${call.args[0]}`,
    query: { ...filtersOf(call), lines: call.options.number('lines', [1]) },
    done(data) {
      const page = known<z.output<typeof logPageSchema>>(data, 'lines', 'truncated')
      page.lines.toReversed().forEach(show)
      if (page.truncated)
        console.error('Only the last 8 MiB were searched; narrow it down with --from and --until.')
    },
  }),
}

const follow: CommandSpec = {
  summary: 'show new lines of a log as they are written, until Ctrl+C',
  note: 'With --json one object a line.',
  args: [LOG],
  options: FILTERS,
  examples: [
    'berth logs follow access --status 5xx',
    'berth logs follow php --domain shop.example --json',
  ],
  async run(call) {
    const path = apiPath`/api/logs/${call.args[0]}/stream`
    const incoming = await call.panel.download(path, filtersOf(call))
    for await (const { event, data } of readEvents(incoming)) {
      if (event === 'skipped') console.error('Lines were left out: they came too fast.')
      if (event !== 'line') continue
      if (call.json) console.log(data)
      else show(known<Line>(JSON.parse(data), 'level', 'raw'))
    }
    throw new CliError('The panel ended the stream. Run the command again to go on.')
  },
}

const download: CommandSpec = {
  summary: 'download a log, or the lines of it that are asked for',
  args: [LOG, ['[file]', 'where to; - is standard output (default: here, as <log>.log)']],
  options: [...FILTERS, ['--force', 'replace a file that is there']],
  examples: ['berth logs download access --from 2026-01-01 --until 2026-01-02 access.log'],
  async run(call) {
    const [source, to] = call.args
    const path = apiPath`/api/logs/${source}/download`
    await downloadTo(call, to, `${source}.log`, path, filtersOf(call))
  },
}

/** `berth logs …`. */
export const logs: ResourceSpec = {
  name: 'logs',
  alias: 'log',
  summary: 'logs of sites and of the server',
  commands: {
    list: listCommand<z.output<typeof logSourceSchema>>({
      summary: 'list the logs that one may read',
      options: [['--host <host>', 'those of this machine; see berth hosts list']],
      examples: ['berth logs list'],
      path: '/api/logs',
      query: ({ options }) => options.texts('host'),
      columns: [
        ['LOG', 'source'],
        ['SIZE', 'size_bytes', 'right', (row) => formatBytes(row.size_bytes)],
      ],
      empty: 'There are no logs yet.',
    }),
    show: showLog,
    follow,
    download,
  },
}
