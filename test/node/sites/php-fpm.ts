import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { createConnection } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { PageCache } from '#edge-cache/index.ts'
import type { VirtualHostConfig } from '#handlers/domain/config/config-types.ts'
import { createPhpOrigin } from '#adapters/node/php-backends/php-origin.ts'
import type { PhpOriginDeps } from '#adapters/node/php-backends/php-origin-deps.ts'
import { createRuleFiles } from '#adapters/node/web-server/files/rule-files.ts'
import { createSiteFiles } from '#adapters/node/web-server/files/site-files.ts'
import { CLEAN_ENV } from '#adapters/node/process/clean-env.ts'
import { createSite, TREE_MTIME, vhostOf } from '#test/contract/sites/sites-harness.ts'
import type { Site, Tree } from '#test/contract/sites/sites-harness.ts'

/** Owner of the test home and of PHP: `nobody`, who owns nothing else. */
export const TENANT_UID = 65_534
const FPM = '/usr/sbin/php-fpm8.2'

const answers = (socket: string): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = createConnection({ path: socket })
    probe.once('error', () => resolve(false))
    probe.once('connect', () => {
      probe.destroy()
      resolve(true)
    })
  })

export interface FpmSettings {
  children?: number
  /** More lines of the pool's section. */
  pool?: string[]
}

/** A home of its own with a real PHP-FPM, as on a host; everything is gone after `stop`. */
export interface TestHost {
  directory: string
  home: string
  root: string
  socket: string
  /** Writes files below the document root as the tenant; names begin with `/`. */
  plant(tree: Tree): void
  /** Empties the document root. */
  clear(): void
  startPhp(settings?: FpmSettings): Promise<void>
  stopPhp(): Promise<void>
  site(
    changes?: Partial<VirtualHostConfig>,
    php?: Partial<PhpOriginDeps>,
    cache?: PageCache | null,
  ): Site
  stop(): Promise<void>
}

export const createTestHost = (): TestHost => {
  const directory = mkdtempSync(join(tmpdir(), 'berth-sites-'))
  const home = join(directory, 'home')
  const root = join(home, 'public_html')
  const run = join(directory, 'run')
  const socket = join(run, 'php.sock')
  const own = (path: string): void => {
    if (!`${path}/`.startsWith(`${directory}/`)) throw new Error(`${path} is not the test's`)
    chownSync(path, TENANT_UID, TENANT_UID)
  }
  own(directory)
  for (const path of [home, root, run, join(directory, 'spool')]) {
    mkdirSync(path)
    own(path)
  }
  let master: ChildProcess | null = null

  /** Makes one directory of the tenant; its parent is there. Never touches anything above the root. */
  const makeDirectory = (path: string): void => {
    if (existsSync(path)) return
    makeDirectory(dirname(path))
    mkdirSync(path)
    own(path)
  }
  const plant: TestHost['plant'] = (tree) => {
    for (const [name, content] of Object.entries(tree)) {
      const path = resolve(root, `.${name}`)
      if (!path.startsWith(`${root}/`)) throw new Error(`${name} is not below the document root`)
      makeDirectory(content === null ? path : dirname(path))
      if (content === null) continue
      writeFileSync(path, content)
      own(path)
      utimesSync(path, TREE_MTIME, TREE_MTIME)
    }
  }

  const stopPhp = async (): Promise<void> => {
    const running = master
    master = null
    if (!running || running.exitCode !== null || running.signalCode !== null) return
    const gone = once(running, 'exit')
    running.kill('SIGTERM')
    await gone
    rmSync(socket, { force: true })
  }

  const startPhp = async ({ children = 4, pool = [] }: FpmSettings = {}): Promise<void> => {
    const config = join(directory, 'fpm.conf')
    writeFileSync(
      config,
      [
        '[global]',
        'daemonize = no',
        `error_log = ${join(directory, 'fpm.log')}`,
        '[site]',
        `listen = ${socket}`,
        'pm = static',
        `pm.max_children = ${children}`,
        'catch_workers_output = yes',
        'security.limit_extensions = .php',
        'php_admin_value[cgi.fix_pathinfo] = 1',
        'php_admin_flag[display_errors] = off',
        'php_admin_flag[log_errors] = on',
        'php_admin_value[post_max_size] = 256M',
        ...pool,
        '',
      ].join('\n'),
    )
    // SIGTERM, not SIGKILL, when the test dies: the master then takes its children along.
    const drop = [
      `--reuid=${TENANT_UID}`,
      `--regid=${TENANT_UID}`,
      '--clear-groups',
      '--pdeathsig=SIGTERM',
    ]
    master = spawn(
      '/usr/bin/setpriv',
      [...drop, '--', FPM, '--nodaemonize', '--fpm-config', config],
      { cwd: '/', env: CLEAN_ENV, stdio: 'ignore' },
    )
    for (let left = 200; !(await answers(socket)); left--) {
      if (left === 0 || master.exitCode !== null) throw new Error('php-fpm did not start')
      await wait(25)
    }
  }

  return {
    directory,
    home,
    root,
    socket,
    plant,
    clear() {
      rmSync(root, { recursive: true })
      mkdirSync(root)
      own(root)
    },
    startPhp,
    stopPhp,
    site: (changes, php, cache = null) =>
      createSite({
        cache,
        vhosts: [vhostOf({ root, home, uid: TENANT_UID, ...changes })],
        files: createSiteFiles(),
        ruleFiles: createRuleFiles(),
        php: (log) =>
          createPhpOrigin({
            ensure: async () => ({ socket, uid: TENANT_UID }),
            log,
            requestTimeoutMs: 10_000,
            maxConnectionsPerBackend: 4,
            temporaryDirectory: join(directory, 'spool'),
            ...php,
          }),
      }),
    async stop() {
      await stopPhp()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
