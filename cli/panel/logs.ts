import { z } from 'zod'
import { CliError } from '../cli-error.ts'
import { formatBytes } from '../terminal/format.ts'
import { paint, type Paint } from '../terminal/paint.ts'
import { readableLine } from '../terminal/readable-line.ts'
import type { CommandOptions } from './frame/command-options.ts'
import type { CommandSpec, OptionSpec, ResourceSpec } from './frame/command-spec.ts'
import { listCommand } from './frame/list-command.ts'
import { apiPath } from './frame/panel-client.ts'
import { readEvents } from './frame/read-events.ts'
import { saveDownload } from './files/transfer.ts'

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
]

const lineSchema = z.object({ level: z.string(), raw: z.string() })
const pageSchema = z.object({ lines: z.array(lineSchema), truncated: z.boolean() })

const COLORS: Readonly<Record<string, Paint>> = { error: 'red', warn: 'yellow', debug: 'dim' }

const filtersOf = (options: CommandOptions): Record<string, string | undefined> => ({
  q: options.text('q'),
  level: options.text('level'),
  status: options.text('status'),
  method: options.text('method'),
  domain: options.text('domain'),
  from: options.text('from'),
  to: options.text('until'),
})

const show = ({ level, raw }: z.infer<typeof lineSchema>): void => {
  const color = COLORS[level]
  const text = readableLine(raw)
  console.log(color === undefined ? text : paint(color, text))
}

const showLog: CommandSpec = {
  name: 'show',
  summary: 'show the last lines of a log, the newest last',
  args: [LOG],
  options: [['--lines <number>', 'how many, at most 500', { preset: '50' }], ...FILTERS],
  examples: [
    'berth logs show error',
    'berth logs show access --domain shop.example --status 5xx --lines 200',
  ],
  async run({ panel, args: [source = ''], options, print }) {
    const lines = String(options.number('lines', 1))
    const query = { ...filtersOf(options), lines }
    const data = await panel.call('GET', apiPath`/api/logs/${source}`, { query })
    print(data, () => {
      const page = pageSchema.parse(data)
      page.lines.toReversed().forEach(show)
      if (page.truncated)
        console.error('Only the last 8 MiB were searched; narrow it down with --from and --until.')
    })
  },
}

const follow: CommandSpec = {
  name: 'follow',
  summary: 'show new lines of a log as they are written, until Ctrl+C',
  note: 'With --json one object a line.',
  args: [LOG],
  options: FILTERS,
  examples: [
    'berth logs follow access --status 5xx',
    'berth logs follow php --domain shop.example --json',
  ],
  async run({ panel, args: [source = ''], options, json }) {
    const query = filtersOf(options)
    const incoming = await panel.download(apiPath`/api/logs/${source}/stream`, query)
    for await (const { event, data } of readEvents(incoming)) {
      if (event === 'skipped') console.error('Lines were left out: they came too fast.')
      if (event !== 'line') continue
      if (json) console.log(data)
      else show(lineSchema.parse(JSON.parse(data)))
    }
    throw new CliError('The panel ended the stream. Run the command again to go on.')
  },
}

const download: CommandSpec = {
  name: 'download',
  summary: 'download a log, or the lines of it that are asked for',
  args: [LOG, ['[file]', 'where to; - is standard output (default: here, as <log>.log)']],
  options: [...FILTERS, ['--force', 'replace a file that is there']],
  examples: ['berth logs download access --from 2026-01-01 --until 2026-01-02 access.log'],
  async run({ panel, args: [source = '', to = ''], options, print }) {
    const path = apiPath`/api/logs/${source}/download`
    const incoming = await panel.download(path, filtersOf(options))
    const saved = await saveDownload(incoming, {
      to: to === '' ? undefined : to,
      name: `${source}.log`,
      force: options.isOn('force'),
    })
    if (saved.file !== '-')
      print(saved, () => console.log(`${saved.file}  ${formatBytes(saved.size_bytes)}`))
  },
}

/** `berth logs …`. */
export const logs: ResourceSpec = {
  name: 'logs',
  alias: 'log',
  summary: 'logs of sites and of the server',
  commands: [
    listCommand({
      summary: 'list the logs that one may read',
      examples: ['berth logs list'],
      path: () => '/api/logs',
      row: z.object({ source: z.string(), size_bytes: z.number().nullable() }),
      columns: [
        { title: 'LOG', value: ({ source }) => source },
        { title: 'SIZE', value: (row) => formatBytes(row.size_bytes), right: true },
      ],
      empty: 'There are no logs yet.',
    }),
    showLog,
    follow,
    download,
  ],
}
