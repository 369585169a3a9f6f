import { z } from 'zod'
import type { CommandSpec, ResourceSpec } from '../frame/command-spec.ts'
import { NO_WAIT, runAsJob } from '../frame/follow-job.ts'
import { listCommand } from '../frame/list-command.ts'
import { showHistory } from '../frame/show-history.ts'
import { showRecord } from '../frame/show-record.ts'

/** A command that shows one response. */
const facts = (name: string, summary: string, path: string, example: string): CommandSpec => ({
  name,
  summary,
  examples: [example],
  async run({ panel, print }) {
    const data = await panel.call('GET', path)
    print(data, () => showRecord(data))
  },
})

const orderSchema = z.object({ restart_needed: z.array(z.string()).optional() })

const order = (name: string, summary: string, done: string): CommandSpec => ({
  name,
  summary,
  examples: [`berth web ${name}`],
  async run({ panel, print }) {
    const data = await panel.call('POST', `/api/veloserve/${name}`)
    print(data, () => {
      console.log(done)
      const { restart_needed: keys } = orderSchema.parse(data)
      if (keys !== undefined && keys.length > 0)
        console.log(`Still as before until berth service restart: ${keys.join(', ')}.`)
    })
  },
})

/** `berth system …`. */
export const system: ResourceSpec = {
  name: 'system',
  summary: 'the machine that the panel runs on',
  commands: [
    facts('info', 'facts of the machine', '/api/system/info', 'berth system info'),
    {
      name: 'history',
      summary: 'course of processor, memory, load, requests and cache hits',
      options: [
        ['--range <range>', 'how far back', { choices: ['15m', '1h', '24h', '7d'], preset: '1h' }],
      ],
      examples: ['berth system history --range 24h --json'],
      async run({ panel, options, print }) {
        const query = { range: options.text('range') }
        const data = await panel.call('GET', '/api/system/history', { query })
        print(data, () => showHistory(data))
      },
    },
    facts('stats', 'numbers of the dashboard', '/api/system/stats', 'berth system stats --json'),
  ],
}

/** `berth web …`. */
export const web: ResourceSpec = {
  name: 'web',
  summary: 'the web server',
  commands: [
    facts('status', 'state of the web server', '/api/veloserve/status', 'berth web status'),
    facts('version', 'version of the web server', '/api/veloserve/version', 'berth web version'),
    order('reload', 'take over a changed configuration, without an interruption', 'Reloaded.'),
    order('restart', 'replace all workers, without an interruption', 'Restarted.'),
    {
      name: 'regenerate',
      summary: 'write all virtual hosts anew from the records, then reload',
      options: [NO_WAIT],
      examples: ['berth web regenerate'],
      async run({ panel, options, print }) {
        const wait = options.flag('wait') !== false
        const data = await runAsJob(panel, 'POST', '/api/veloserve/regenerate', {}, wait)
        print(data, () => {
          if (!wait) return showRecord(data)
          const { written, removed } = z
            .object({ written: z.number(), removed: z.number() })
            .parse(data)
          console.log(`${written} virtual hosts were written, ${removed} removed.`)
        })
      },
    },
  ],
}

/** `berth targets …`. */
export const targets: ResourceSpec = {
  name: 'targets',
  alias: 'target',
  summary: 'where copies of backups are kept elsewhere',
  commands: [
    listCommand({
      summary: 'list the remote targets of the configuration',
      note: 'They are set up in berth.toml, each as [[remote_target]].',
      examples: ['berth targets list'],
      path: () => '/api/backups/remote-targets',
      row: z.object({
        name: z.string(),
        type: z.string(),
        endpoint: z.string(),
        bucket: z.string().nullable(),
        path: z.string().nullable(),
        is_default: z.boolean(),
      }),
      columns: [
        { title: 'NAME', value: ({ name }) => name },
        { title: 'TYPE', value: ({ type }) => type },
        { title: 'ENDPOINT', value: ({ endpoint }) => endpoint },
        { title: 'BUCKET', value: ({ bucket }) => bucket },
        { title: 'PATH', value: ({ path }) => path },
        { title: 'DEFAULT', value: (row) => row.is_default },
      ],
      empty: 'There are no remote targets. Add a [[remote_target]] to berth.toml.',
    }),
  ],
}
