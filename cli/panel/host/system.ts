import type { CommandSpec, OptionSpec, ResourceSpec } from '../frame/command-types.ts'
import { known } from '../frame/known.ts'
import { api, type ApiCall } from '../frame/panel-client.ts'
import { showHistory } from '../frame/show-history.ts'

/** A command that shows one response. */
const facts = (summary: string, to: ApiCall, example: string): CommandSpec => ({
  summary,
  examples: [example],
  order: () => ({ to }),
})

const ON_HOST: readonly OptionSpec[] = [
  ['--host <host>', 'of this machine; see berth hosts list (default: that of the panel)'],
]
/** One that may be asked of each machine. */
const factsOfHost = (summary: string, to: ApiCall, example: string): CommandSpec => ({
  summary,
  options: ON_HOST,
  examples: [example],
  order: ({ options }) => ({ to, query: options.texts('host') }),
})

/** What writing all virtual hosts answers. */
interface Written {
  written: number
  removed: number
}

const order = (name: string, summary: string, done: string): CommandSpec => ({
  summary,
  options: ON_HOST,
  examples: [`berth web ${name}`],
  order: ({ options }) => ({
    to: api`POST /api/veloserve/${name}`,
    query: options.texts('host'),
    done(data) {
      console.log(done)
      const { restart_needed: keys = [] } = known<{ restart_needed?: string[] }>(data)
      if (keys.length > 0)
        console.log(`Still as before until berth service restart: ${keys.join(', ')}.`)
    },
  }),
})

/** `berth system …`. */
export const system: ResourceSpec = {
  name: 'system',
  summary: 'the machine that the panel runs on',
  commands: {
    info: factsOfHost('facts of the machine', api`GET /api/system/info`, 'berth system info'),
    recovery: facts(
      'whether the panel could be brought back: recovery kit, export, what an import holds back',
      api`GET /api/system/recovery`,
      'berth system recovery',
    ),
    history: {
      summary: 'course of processor, memory, load, requests and cache hits',
      options: [
        ['--range <range>', 'how far back', { choices: ['15m', '1h', '24h', '7d'], preset: '1h' }],
        ...ON_HOST,
      ],
      examples: ['berth system history --range 24h --json'],
      order: ({ options }) => ({
        to: api`GET /api/system/history`,
        query: options.texts('range', 'host'),
        done: showHistory,
      }),
    },
    stats: factsOfHost(
      'numbers of the dashboard',
      api`GET /api/system/stats`,
      'berth system stats --json',
    ),
  },
}

/** `berth web …`. */
export const web: ResourceSpec = {
  name: 'web',
  summary: 'the web server',
  commands: {
    status: factsOfHost(
      'state of the web server',
      api`GET /api/veloserve/status`,
      'berth web status',
    ),
    version: factsOfHost(
      'version of the web server',
      api`GET /api/veloserve/version`,
      'berth web version',
    ),
    reload: order(
      'reload',
      'take over a changed configuration, without an interruption',
      'Reloaded.',
    ),
    restart: order('restart', 'replace all workers, without an interruption', 'Restarted.'),
    regenerate: {
      summary: 'write all virtual hosts anew from the records, then reload',
      job: true,
      examples: ['berth web regenerate'],
      order: () => ({
        to: api`POST /api/veloserve/regenerate`,
        done(data) {
          const { written, removed } = known<Written>(data, 'written', 'removed')
          console.log(`${written} virtual hosts were written, ${removed} removed.`)
        },
      }),
    },
  },
}
