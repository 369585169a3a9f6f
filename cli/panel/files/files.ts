import { z } from 'zod'
import { confirmByName } from '../../terminal/confirm.ts'
import { formatBytes } from '../../terminal/format.ts'
import type { CommandSpec, PanelCall, ResourceSpec } from '../frame/command-spec.ts'
import { getFile, putFile } from './file-transfers.ts'
import { NO_WAIT, runAsJob } from '../frame/follow-job.ts'
import { listCommand } from '../frame/list-command.ts'
import { findAccount } from '../frame/lookup.ts'
import { showRecord } from '../frame/show-record.ts'

const ACCOUNT = ['<account>', 'username or number'] as const
const PATH = ['<path>', "relative to the account's home"] as const
const TO = ['<to>', 'new path, relative to the home'] as const

const idOf = async ({ panel, args: [name = ''] }: PanelCall): Promise<number> =>
  (await findAccount(panel, name)).id

/** A command that sends paths and prints a line. */
const change = (
  spec: Omit<CommandSpec, 'run'>,
  method: 'POST' | 'DELETE',
  action: string,
  bodyOf: (call: PanelCall) => Record<string, unknown>,
  done: (call: PanelCall) => string,
): CommandSpec => ({
  ...spec,
  async run(call) {
    const body = { account_id: await idOf(call), ...bodyOf(call) }
    const data = await call.panel.call(method, `/api/files/${action}`, { body })
    call.print(data, () => console.log(done(call)))
  },
})

/** The same for work that may take long. */
const work = (
  spec: Omit<CommandSpec, 'run'>,
  action: string,
  bodyOf: (call: PanelCall) => Record<string, unknown>,
): CommandSpec => ({
  ...spec,
  options: [...(spec.options ?? []), NO_WAIT],
  async run(call) {
    const { panel, options, print } = call
    const body = { account_id: await idOf(call), ...bodyOf(call) }
    const wait = options.flag('wait') !== false
    const data = await runAsJob(panel, 'POST', `/api/files/${action}`, { body }, wait)
    print(data, () => showRecord(data))
  },
})

const remove: CommandSpec = {
  name: 'delete',
  summary: 'delete a file, or a directory with all in it',
  args: [ACCOUNT, PATH],
  options: [['--yes', 'do not ask to type the path']],
  examples: ['berth files delete alice public_html/old'],
  async run(call) {
    const { panel, args, options, print } = call
    const path = args[1] ?? ''
    const id = await idOf(call)
    await confirmByName(`Deleting ${path} of ${args[0]}`, path, options.isOn('yes'))
    const data = await panel.call('DELETE', '/api/files/delete', { body: { account_id: id, path } })
    print(data, () => console.log(`${path} was deleted.`))
  },
}

/** `berth files …`. */
export const files: ResourceSpec = {
  name: 'files',
  alias: 'file',
  summary: 'files in the homes of accounts',
  commands: [
    listCommand({
      summary: 'list a directory',
      args: [ACCOUNT, ['[path]', 'relative to the home (default: the home)']],
      examples: ['berth files list alice public_html'],
      path: () => '/api/files/list',
      query: async (call) => ({ account_id: String(await idOf(call)), path: call.args[1] }),
      row: z.object({
        name: z.string(),
        type: z.string(),
        size: z.number(),
        permissions: z.string(),
        modified_at: z.string(),
        owner: z.string(),
      }),
      columns: [
        { title: 'MODE', value: (row) => row.permissions },
        { title: 'OWNER', value: ({ owner }) => owner },
        {
          title: 'SIZE',
          value: ({ type, size }) => (type === 'file' ? formatBytes(size) : null),
          right: true,
        },
        { title: 'MODIFIED', value: (row) => row.modified_at },
        {
          title: 'NAME',
          value: ({ name, type }) =>
            type === 'directory' ? `${name}/` : type === 'symlink' ? `${name}@` : name,
        },
      ],
      empty: 'The directory is empty.',
    }),
    getFile,
    putFile,
    change(
      {
        name: 'mkdir',
        summary: 'create a directory and missing parents',
        args: [ACCOUNT, PATH],
        examples: ['berth files mkdir alice public_html/img'],
      },
      'POST',
      'mkdir',
      ({ args }) => ({ path: args[1] }),
      ({ args }) => `${args[1]} was made.`,
    ),
    change(
      {
        name: 'chmod',
        summary: 'set permissions',
        args: [ACCOUNT, PATH, ['<mode>', 'octal, e.g. 0640']],
        examples: ['berth files chmod alice public_html/config.php 0600'],
      },
      'POST',
      'chmod',
      ({ args }) => ({ path: args[1], mode: args[2] }),
      ({ args }) => `${args[1]} has the mode ${args[2]}.`,
    ),
    change(
      {
        name: 'move',
        summary: 'give a file or directory another name or place',
        args: [ACCOUNT, PATH, TO],
        examples: ['berth files move alice public_html/a.html public_html/b.html'],
      },
      'POST',
      'move',
      ({ args }) => ({ path: args[1], to: args[2] }),
      ({ args }) => `${args[1]} is now ${args[2]}.`,
    ),
    work(
      {
        name: 'copy',
        summary: 'copy a file, or a directory with all in it',
        args: [ACCOUNT, PATH, TO],
        examples: ['berth files copy alice public_html staging'],
      },
      'copy',
      ({ args }) => ({ path: args[1], to: args[2] }),
    ),
    work(
      {
        name: 'archive',
        summary: 'pack files and directories into a .tar.gz',
        args: [
          ACCOUNT,
          ['<to>', 'the archive, relative to the home'],
          ['<path...>', 'what to pack'],
        ],
        examples: ['berth files archive alice site.tar.gz public_html'],
      },
      'archive',
      ({ args, rest }) => ({ paths: rest, to: args[1] }),
    ),
    work(
      {
        name: 'extract',
        summary: 'take a .tar.gz, .tar or .zip out into a directory',
        args: [ACCOUNT, ['<archive>', 'relative to the home'], ['<to>', 'a directory']],
        options: [['--overwrite', 'replace files that are there']],
        examples: ['berth files extract alice site.tar.gz public_html --overwrite'],
      },
      'extract',
      ({ args, options }) => ({ path: args[1], to: args[2], overwrite: options.isOn('overwrite') }),
    ),
    remove,
  ],
}
