import { randomBytes } from 'node:crypto'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { conflict } from '#handlers/errors.ts'
import { parseIncludedFile } from '#handlers/domain/config/server-config.ts'
import { PageTail } from '#handlers/sites/responses/incomplete-page.ts'
import type { Log } from '#handlers/ports/log.ts'
import type { PhpTest } from '#handlers/ports/host/php.ts'
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
const SCRIPT = `<?php
header('Content-Type: application/json');
$uid = function_exists('posix_geteuid') ? posix_geteuid() : null;
echo json_encode(['version' => PHP_VERSION, 'sapi' => PHP_SAPI, 'uid' => $uid]);
`

/** What the script answered; throws when it is something else. */
const readResponse = (text: string): Pick<PhpTest, 'phpVersion' | 'sapi' | 'uid'> => {
  let answer: unknown = null
  try {
    answer = JSON.parse(text)
  } catch {
    // Judged below.
  }
  if (typeof answer !== 'object' || answer === null || !('version' in answer && 'sapi' in answer))
    throw new Error(`PHP answered ${JSON.stringify(text.slice(0, 200))}`)
  const uid = 'uid' in answer && typeof answer.uid === 'number' ? answer.uid : null
  return { phpVersion: String(answer.version), sapi: String(answer.sapi), uid }
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

const timed = async <T>(work: () => Promise<T>): Promise<{ value: T; ms: number }> => {
  const from = performance.now()
  const value = await work()
  return { value, ms: Math.round((performance.now() - from) * 10) / 10 }
}

const reasonOf = (error: unknown): string => {
  const text = error instanceof Error ? error.message : String(error)
  return error instanceof Error && error.cause instanceof Error
    ? `${text}: ${error.cause.message}`
    : text
}

export interface PhpTestDeps {
  planning: MasterPlanning
  runDir: string
  log: Log
}

/**
 * Runs a script of ours in a master of its own, one test at a time (409). Script
 * and configuration are the agent's, in a directory that it makes and removes:
 * neither a running master nor a home is touched.
 */
export const createPhpTest = ({ planning, runDir, log }: PhpTestDeps) => {
  let busy = false

  const run = async (
    account: RegisteredAccount | null,
    php: InstalledPhp,
    mode: PhpMode,
  ): Promise<PhpTest> => {
    const username = `phptest${randomBytes(4).toString('hex')}`
    const home = mkdtempSync(join(runDir, 'php-test-'))
    const { directories, webGid } = planning
    const own = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 }
    const user = account ?? (webGid === null ? own : { uid: NOBODY, gid: NOBODY })
    const result: PhpTest = {
      version: php.version,
      mode,
      startMs: null,
      firstMs: null,
      againMs: null,
      phpVersion: null,
      sapi: null,
      uid: null,
      error: null,
    }
    let master: PhpMaster | null = null
    try {
      chmodSync(home, 0o755)
      writeFileSync(join(home, 'index.php'), SCRIPT, { mode: 0o644 })
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
      result.startMs = started.ms
      const request = createRequest(home, master, mode, log)
      const first = await timed(request)
      result.firstMs = first.ms
      Object.assign(result, readResponse(first.value))
      result.againMs = (await timed(request)).ms
    } catch (error) {
      result.error = reasonOf(error)
    } finally {
      if (master !== null) await stopMaster(master, { graceMs: 0 })
      removeConfigs(directories.config, username)
      removeConfigs(directories.logs, username)
      rmSync(home, { recursive: true, force: true })
    }
    return result
  }

  return async (input: {
    account: RegisteredAccount | null
    php: InstalledPhp
    mode: PhpMode
  }): Promise<PhpTest> => {
    if (busy) throw conflict('PHP is being tested. Try again when that is done.')
    busy = true
    try {
      return await run(input.account, input.php, input.mode)
    } finally {
      busy = false
    }
  }
}
