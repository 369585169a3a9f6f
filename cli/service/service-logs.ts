import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { followFile, lastLines } from '#adapters/node/service/follow-file.ts'
import { SERVICE_NAME } from '#adapters/node/service/service-files.ts'
import { SUPERVISOR_LOG } from '#adapters/node/service/supervisor-log.ts'
import { CliError } from '../cli-error.ts'
import { printable } from '../terminal/printable.ts'
import { readableLine } from '../terminal/readable-line.ts'
import { serviceCommand } from './service-parts.ts'

/** Logs by name, below the log directory. */
const LOGS: Readonly<Record<string, string>> = {
  service: SUPERVISOR_LOG,
  web: 'web.log',
  panel: 'panel.log',
  agent: 'agent.log',
  access: 'web/access.log',
  error: 'web/error.log',
  php: 'web/php_error.log',
  hooks: 'hooks.log',
}
const MAX_LINES = 100_000

const readCount = (text: string): number => {
  const count = Number(text)
  if (/^\d+$/.test(text) && count <= MAX_LINES) return count
  throw new CliError(`--lines ${printable(text)} is no number from 0 to ${MAX_LINES}.`, 2)
}

const journal = (lines: number, follow: boolean): Promise<number> =>
  new Promise((resolve, reject) => {
    const args = ['--unit', SERVICE_NAME, '--lines', String(lines), '--no-pager']
    const child = spawn('/usr/bin/journalctl', follow ? [...args, '--follow'] : args, {
      stdio: 'inherit',
    })
    child.on('error', reject)
    child.on('close', (code) => resolve(code ?? 0))
  })

/** `berth service logs [log] [--follow]`. */
export const logs = serviceCommand({
  summary: 'show a log of the service',
  note: 'With systemd the log "service" is its journal. With --json each line is an object {log, line}, the line as it stands in the file.',
  args: [['[log]', `which: ${Object.keys(LOGS).join(', ')}`, { preset: 'service' }]],
  options: [
    ['-n, --lines <count>', 'how many of the last lines', { preset: '50' }],
    ['-f, --follow', 'go on with what is added, until Ctrl+C'],
  ],
  examples: [
    'berth service logs',
    'berth service logs error --lines 200',
    'berth service logs access --follow --json | jq -r .line',
  ],
  async act({ config, manager, args: [name = ''], options, json }) {
    const path = Object.hasOwn(LOGS, name) ? LOGS[name] : undefined
    if (path === undefined)
      throw new CliError(
        `There is no log "${printable(name)}". Logs: ${Object.keys(LOGS).join(', ')}`,
        2,
      )
    const count = readCount(options.text('lines') ?? '')
    const follow = options.isOn('follow')
    if (name === 'service' && manager.kind === 'systemd') {
      process.exitCode = await journal(count, follow)
      return
    }
    const show = (line: string): void =>
      console.log(json ? JSON.stringify({ log: name, line }) : readableLine(line))
    const file = join(config.paths.log_dir, path)
    try {
      for (const line of lastLines(file, count)) show(line)
      if (!follow) return
      const end = new AbortController()
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => end.abort())
      await followFile(file, show, end.signal)
    } catch (error) {
      if (!(error instanceof Error && 'code' in error)) throw error
      throw new CliError(
        `${file} cannot be read (${String(error.code)}). Run the command as root, or as the user who started Berth.`,
      )
    }
  },
})
