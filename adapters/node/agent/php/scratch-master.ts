import { randomBytes } from 'node:crypto'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseIncludedFile } from '#handlers/domain/config/server-config.ts'
import { PageTail } from '#handlers/sites/responses/incomplete-page.ts'
import type { Log } from '#handlers/ports/log.ts'
import type { PhpMode } from '#handlers/ports/store/records.ts'
import { createPhpOrigin } from '../../php-backends/php-origin.ts'
import type { RegisteredAccount } from '../registry/types.ts'
import type { InstalledPhp } from '../../machine/find-php.ts'
import { startMaster, stopMaster } from './masters/php-master.ts'
import type { PhpMaster } from './masters/php-master.ts'
import { planMaster, type MasterPlanning } from './masters/plan-master.ts'
import { removeConfigs } from './prepare-directories.ts'

const HOST = 'php-test.invalid'
const REQUEST_TIMEOUT_MS = 10_000
/** `nobody` and `nogroup` of every Debian, who own nothing. */
const NOBODY = 65_534

export interface ScratchDeps {
  planning: MasterPlanning
  runDir: string
  log: Log
}

/** A master that is there for one piece of work. */
export interface ScratchMaster {
  startMs: number
  /** Runs the script; rejects unless it answers with 200. */
  request(): Promise<string>
}

/** Runs the script once over the web server's own way to PHP. */
const createRequest = (root: string, master: PhpMaster, mode: PhpMode, log: Log) => {
  const text = `[[virtualhost]]\ndomain = "${HOST}"\nroot = ${JSON.stringify(root)}\n`
  const vhost = parseIncludedFile('php-test', text).hosts[0]?.host
  if (vhost === undefined) throw new Error('the virtual host of the test was refused')
  const protocol = mode === 'lsapi' ? ('lsapi' as const) : ('fastcgi' as const)
  const origin = createPhpOrigin({
    ensure: () => Promise.resolve({ socket: master.socket, uid: null, protocol }),
    log,
    requestTimeoutMs: REQUEST_TIMEOUT_MS,
    maxConnectionsPerBackend: 1,
  })
  return async (): Promise<string> => {
    const response = await origin.run(new Request(`http://${HOST}/index.php`), {
      vhost,
      context: {
        clientAddress: '127.0.0.1',
        clientPort: 0,
        serverAddress: '127.0.0.1',
        serverPort: 80,
        secure: false,
        protocol: 'HTTP/1.1',
        rawTarget: '/index.php',
      },
      host: HOST,
      scriptFilename: join(root, 'index.php'),
      scriptName: '/index.php',
      pathInfo: '',
      requestUri: '/index.php',
      queryString: '',
      streaming: () => new PageTail(),
    })
    const body = await response.text()
    if (response.status !== 200) throw new Error(`PHP answered ${response.status}`)
    return body
  }
}

/** How long something took, in milliseconds. */
export const timed = async <T>(work: () => Promise<T>): Promise<{ value: T; ms: number }> => {
  const from = performance.now()
  const value = await work()
  return { value, ms: Math.round((performance.now() - from) * 10) / 10 }
}

/**
 * Runs a script of ours in a master of its own, with the server's settings. Script and
 * configuration are the agent's, in a directory that it makes and removes: neither a running
 * master nor a home is touched. `account` null: as a user who owns nothing.
 */
export const withScratchMaster = async <T>(
  { planning, runDir, log }: ScratchDeps,
  what: { account: RegisteredAccount | null; php: InstalledPhp; mode: PhpMode; script: string },
  work: (master: ScratchMaster) => Promise<T>,
): Promise<T> => {
  const { account, php, mode, script } = what
  const username = `phptest${randomBytes(4).toString('hex')}`
  const home = mkdtempSync(join(runDir, 'php-test-'))
  const { directories, webGid } = planning
  const own = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 }
  const user = account ?? (webGid === null ? own : { uid: NOBODY, gid: NOBODY })
  let master: PhpMaster | null = null
  try {
    chmodSync(home, 0o755)
    writeFileSync(join(home, 'index.php'), script, { mode: 0o644 })
    chmodSync(join(home, 'index.php'), 0o644)
    const tenant: RegisteredAccount = {
      username,
      uid: user.uid,
      gid: user.gid,
      home,
      suspended: false,
      phpVersion: php.version,
      phpMode: mode,
      limits: account?.limits ?? null,
      diskQuotaMb: 0,
    }
    const choice = { version: php.version, mode, pool: null }
    const { plan, write } = planMaster(planning, tenant, php, choice)
    write()
    const started = await timed(() => startMaster(plan))
    master = started.value
    const request = createRequest(home, master, mode, log)
    return await work({ startMs: started.ms, request })
  } finally {
    if (master !== null) await stopMaster(master, { graceMs: 0 })
    removeConfigs(directories.config, username)
    removeConfigs(directories.logs, username)
    rmSync(home, { recursive: true, force: true })
  }
}
