import { fileURLToPath } from 'node:url'
import { dataLimit } from '../../../process/as-user.ts'
import type { LauncherSettings } from '../cgi/launcher-settings.ts'
import { phpIni } from './php-ini.ts'
import type { ModeInput, ModePlan } from './mode-plan.ts'

const ENTRY = fileURLToPath(new URL('../../../bin/cgi-launcher.ts', import.meta.url))
/** A launcher only passes bytes on; threads count towards the account's processes. */
const NODE_ARGS = [
  '--max-old-space-size=64',
  '--v8-pool-size=1',
  '--disable-warning=ExperimentalWarning',
]
/** So much longer than the web server waits for a silent script, so that its response is the same in every mode. */
const TIMEOUT_MARGIN_MS = 1000

/** A launcher that starts php-cgi for each request. */
export const planCgi = (input: ModeInput): ModePlan => {
  const { fixed, open } = phpIni(input)
  // Nothing outlives a request, so there is nothing to keep compiled scripts for.
  const values = [...fixed, ...open, ['opcache.enable', '0'], ['enable_dl', '0']]
  const php = input.php.binaries.cgi ?? ''
  const args = values.flatMap(([name, value]) => ['-d', `${name}=${value}`])
  const { limits } = input
  // The launcher itself would not start: Node maps more than it ever uses.
  const bounded = limits === null ? null : [dataLimit(limits.memoryMb), '--', php, ...args]
  const settings: LauncherSettings = {
    program: bounded === null ? php : '/usr/bin/prlimit',
    args: bounded ?? args,
    maxChildren: input.maxChildren,
    timeoutMs: input.requestTimeoutSecs * 1000 + TIMEOUT_MARGIN_MS,
  }
  return {
    text: `${JSON.stringify(settings, null, 2)}\n`,
    binary: process.execPath,
    limits: limits === null ? null : { ...limits, memoryMb: null },
    args: [...NODE_ARGS, ENTRY, '--config', input.configFile],
    env: { UV_THREADPOOL_SIZE: '1' },
  }
}
