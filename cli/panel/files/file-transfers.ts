import { basename } from 'node:path'
import { formatBytes } from '../../terminal/format.ts'
import type { CommandSpec, PanelCall } from '../frame/command-spec.ts'
import { findAccount } from '../frame/lookup.ts'
import { openLocal, saveDownload } from './transfer.ts'

const ACCOUNT = ['<account>', 'username or number'] as const
const PATH = ['<path>', "relative to the account's home"] as const

const idOf = async ({ panel, args: [name = ''] }: PanelCall): Promise<number> =>
  (await findAccount(panel, name)).id

/** `berth files put`. */
export const putFile: CommandSpec = {
  name: 'put',
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
  name: 'get',
  summary: 'download a file of any size',
  args: [
    ACCOUNT,
    PATH,
    ['[file]', 'where to; - is standard output (default: here, under its name)'],
  ],
  options: [['--force', 'replace a file that is there']],
  examples: ['berth files get alice logs/php.log', 'berth files get alice public_html/.htaccess -'],
  async run(call) {
    const [, path = '', to = ''] = call.args
    const incoming = await call.panel.download('/api/files/download', {
      account_id: await idOf(call),
      path,
    })
    const saved = await saveDownload(incoming, {
      to: to === '' ? undefined : to,
      name: basename(path),
      force: call.options.isOn('force'),
    })
    if (saved.file !== '-')
      call.print(saved, () => console.log(`${saved.file}  ${formatBytes(saved.size_bytes)}`))
  },
}
