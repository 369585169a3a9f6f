import { readFileSync } from 'node:fs'
import { cpus, release, totalmem } from 'node:os'
import { runCommand } from '#adapters/node/process/run-command.ts'

const firstLine = async (program: string, args: readonly string[]): Promise<string> => {
  try {
    const { stdout, stderr } = await runCommand(program, args)
    return `${stdout}${stderr}`.split('\n')[0]?.trim() ?? ''
  } catch {
    return 'not installed'
  }
}

const debian = (): string =>
  /^PRETTY_NAME="(.*)"$/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1] ?? 'unknown system'

/** What was measured on what: name and value. */
export const describeMachine = async (commit: string): Promise<[string, string][]> => [
  ['Berth', commit],
  [
    'machine',
    `${cpus().length} processors ${cpus()[0]?.model.trim() ?? ''}, ${Math.round(totalmem() / 2 ** 30)} GiB`,
  ],
  ['system', `${debian()}, Linux ${release()}`],
  ['Node', process.version],
  ['nginx', await firstLine('/usr/sbin/nginx', ['-v'])],
  ['Varnish', await firstLine('/usr/sbin/varnishd', ['-V'])],
  ['wrk', await firstLine('/usr/bin/dpkg-query', ['-W', '-f', '${Version}', 'wrk'])],
  ['h2load', await firstLine('/usr/bin/h2load', ['--version'])],
  ['gcc', await firstLine('/usr/bin/gcc', ['--version'])],
]

/** Commit that is measured, with a remark when files differ from it. */
export const describeCommit = async (root: string): Promise<string> => {
  const git = (args: readonly string[]): Promise<string> =>
    runCommand('/usr/bin/git', ['-C', root, ...args]).then(
      ({ code, stdout }) => (code === 0 ? stdout.trim() : ''),
      () => '',
    )
  const commit = await git(['rev-parse', '--short=12', 'HEAD'])
  if (commit === '') return 'not a checkout'
  const changed = await git(['status', '--porcelain', '--untracked-files=no'])
  return `${commit}${changed === '' ? '' : ' with changed files'}`
}
