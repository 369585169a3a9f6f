import { basename } from 'node:path'
import type { CommandSpec, PanelCall } from '../frame/command-types.ts'
import { ACCOUNT, findAccount } from '../frame/lookup.ts'
import { downloadTo, openLocal } from './transfer.ts'

const PATH = ['<path>', "relative to the account's home"] as const

const idOf = async ({ panel, args: [name] }: PanelCall): Promise<number> =>
  (await findAccount(panel, name)).id

/** `berth files put`. */
export const putFile: CommandSpec = {
  summary: 'upload a file of any size',
  note: 'What is at the path stays until all of the new file has come.',
  args: [ACCOUNT, ['<file>', 'on this machine; - is standard input'], PATH],
  examples: [
    'berth files put alice ./index.html public_html/index.html',
    'tar cz site | berth files put alice - site.tar.gz',
  ],
  async run(call) {
    const [, file = '', path = ''] = call.args
    const target = path.endsWith('/') && file !== '-' ? path + basename(file) : path
    const content = openLocal(file)
    const query = { account_id: await idOf(call), path: target }
    const data = await call.panel.upload('/api/files/upload', query, content)
    call.print(data, () => console.log(`${target} was written.`))
  },
}

/** `berth files get`. */
export const getFile: CommandSpec = {
  summary: 'download a file of any size',
  args: [
    ACCOUNT,
    PATH,
    ['[file]', 'where to; - is standard output (default: here, under its name)'],
  ],
  options: [['--force', 'replace a file that is there']],
  examples: ['berth files get alice logs/php.log', 'berth files get alice public_html/.htaccess -'],
  async run(call) {
    const [, path = '', to] = call.args
    const query = { account_id: await idOf(call), path }
    await downloadTo(call, to, basename(path), '/api/files/download', query)
  },
}
