import type { z } from 'zod'
import type { fileEntrySchema } from '#handlers/panel/files/schema.ts'
import { formatBytes } from '../../terminal/format.ts'
import type { Order, OrderSpec, PanelCall, ResourceSpec } from '../frame/command-types.ts'
import { getFile, putFile } from './file-transfers.ts'
import { listCommand } from '../frame/list-command.ts'
import { ACCOUNT, findAccount } from '../frame/lookup.ts'
import { api, type ApiCall } from '../frame/panel-client.ts'

const PATH = ['<path>', "relative to the account's home"] as const
const TO = ['<to>', 'new path, relative to the home'] as const

/** What `ls -F` puts behind a name. */
const SIGNS = { file: '', directory: '/', symlink: '@' } as const

/** A command that sends paths in the home of its first argument. */
const change = (
  facts: Omit<OrderSpec, 'order'>,
  to: ApiCall,
  bodyOf: (call: PanelCall) => object,
  more: (call: PanelCall) => Pick<Order, 'done' | 'confirm'> = () => ({}),
): OrderSpec => ({
  ...facts,
  order: async (call) => ({
    to,
    body: { account_id: (await findAccount(call.panel, call.args[0])).id, ...bodyOf(call) },
    ...more(call),
  }),
})

/** `berth files …`. */
export const files: ResourceSpec = {
  name: 'files',
  alias: 'file',
  summary: 'files in the homes of accounts',
  commands: {
    list: listCommand<z.output<typeof fileEntrySchema>>({
      summary: 'list a directory',
      args: [ACCOUNT, ['[path]', 'relative to the home (default: the home)']],
      examples: ['berth files list alice public_html'],
      path: '/api/files/list',
      query: async ({ panel, args: [name, path] }) => ({
        account_id: (await findAccount(panel, name)).id,
        path,
      }),
      columns: [
        ['MODE', 'permissions'],
        ['OWNER', 'owner'],
        ['SIZE', 'size', 'right', ({ type, size }) => (type === 'file' ? formatBytes(size) : null)],
        ['MODIFIED', 'modified_at'],
        ['NAME', 'name', null, ({ name, type }) => name + SIGNS[type]],
      ],
      empty: 'The directory is empty.',
    }),
    get: getFile,
    put: putFile,
    mkdir: change(
      {
        summary: 'create a directory and missing parents',
        args: [ACCOUNT, PATH],
        examples: ['berth files mkdir alice public_html/img'],
      },
      api`POST /api/files/mkdir`,
      ({ args: [, path] }) => ({ path }),
      ({ args: [, path] }) => ({ done: `${path} was made.` }),
    ),
    chmod: change(
      {
        summary: 'set permissions',
        args: [ACCOUNT, PATH, ['<mode>', 'octal, e.g. 0640']],
        examples: ['berth files chmod alice public_html/config.php 0600'],
      },
      api`POST /api/files/chmod`,
      ({ args: [, path, mode] }) => ({ path, mode }),
      ({ args: [, path, mode] }) => ({ done: `${path} has the mode ${mode}.` }),
    ),
    move: change(
      {
        summary: 'give a file or directory another name or place',
        args: [ACCOUNT, PATH, TO],
        examples: ['berth files move alice public_html/a.html public_html/b.html'],
      },
      api`POST /api/files/move`,
      ({ args: [, path, to] }) => ({ path, to }),
      ({ args: [, path, to] }) => ({ done: `${path} is now ${to}.` }),
    ),
    copy: change(
      {
        summary: 'copy a file, or a directory with all in it',
        args: [ACCOUNT, PATH, TO],
        job: true,
        examples: ['berth files copy alice public_html staging'],
      },
      api`POST /api/files/copy`,
      ({ args: [, path, to] }) => ({ path, to }),
    ),
    archive: change(
      {
        summary: 'pack files and directories into a .tar.gz',
        args: [
          ACCOUNT,
          ['<to>', 'the archive, relative to the home'],
          ['<path...>', 'what to pack'],
        ],
        job: true,
        examples: ['berth files archive alice site.tar.gz public_html'],
      },
      api`POST /api/files/archive`,
      ({ args: [, to], rest }) => ({ paths: rest, to }),
    ),
    extract: change(
      {
        summary: 'take a .tar.gz, .tar or .zip out into a directory',
        args: [ACCOUNT, ['<archive>', 'relative to the home'], ['<to>', 'a directory']],
        options: [['--overwrite', 'replace files that are there']],
        job: true,
        examples: ['berth files extract alice site.tar.gz public_html --overwrite'],
      },
      api`POST /api/files/extract`,
      ({ args: [, path, to], options }) => ({ path, to, overwrite: options.isOn('overwrite') }),
    ),
    delete: change(
      {
        summary: 'delete a file, or a directory with all in it',
        args: [ACCOUNT, PATH],
        confirms: 'path',
        examples: ['berth files delete alice public_html/old'],
      },
      api`DELETE /api/files/delete`,
      ({ args: [, path] }) => ({ path }),
      ({ args: [name, path = ''] }) => ({
        confirm: [`Deleting ${path} of ${name}`, path],
        done: `${path} was deleted.`,
      }),
    ),
  },
}
