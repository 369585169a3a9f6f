import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { chmod, chown, mkdir, open, readdir, rm } from 'node:fs/promises'
import path from 'node:path'
import { unavailable } from '#handlers/errors.ts'
import type { RunAs } from '../../../process/as-user.ts'
import { findPhp } from './find-php.ts'
import { endProcess } from '../../host/end-process.ts'
import { findMasters, startMaster, stopMaster } from '../../php/masters/php-master.ts'
import type { PhpMaster } from '../../php/masters/php-master.ts'
import { ADMINER, ADMINER_RELEASE, TOOL_SCRIPT } from './tool-script.ts'

/** Requests that are answered at once, of all sessions. */
const MAX_CHILDREN = 12
/** An export or a large statement. */
const REQUEST_SECS = 300
const UPLOAD_MB = 16

/** What opens files of others or starts programs; the tool needs none of it. */
const DISABLED = [
  ...['exec', 'passthru', 'shell_exec', 'system', 'proc_open', 'popen', 'pcntl_exec', 'dl', 'mail'],
  ...['putenv', 'fsockopen', 'pfsockopen', 'stream_socket_client', 'stream_socket_server'],
  ...['curl_exec', 'curl_multi_exec', 'symlink', 'link', 'chmod', 'chown', 'posix_kill'],
]

/** PHP that runs Adminer as a user of its own. */
export interface ToolPhp {
  /** Starts it where it does not run; 503 naming what is missing. */
  ensure(): Promise<{ socket: string; script: string }>
  /** Ends it and what it is doing. */
  stop(): Promise<void>
}

/** Its first lines name its version. */
const headOf = async (file: string): Promise<string> => {
  const handle = await open(file)
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(1024), 0, 1024, 0)
    return buffer.toString('latin1', 0, bytesRead)
  } finally {
    await handle.close()
  }
}

const configOf = (own: string, directory: string): string =>
  [
    '; Generated for the web tool of databases. Changes are overwritten.',
    '[global]',
    'daemonize = no',
    `error_log = ${own}/fpm.log`,
    'log_level = error',
    '',
    '[tool]',
    `listen = ${directory}/tool.fpm`,
    'pm = ondemand',
    `pm.max_children = ${MAX_CHILDREN}`,
    'pm.process_idle_timeout = 10s',
    'pm.max_requests = 500',
    `request_terminate_timeout = ${REQUEST_SECS}s`,
    'clear_env = yes',
    'security.limit_extensions = .php',
    'env[PATH] = /usr/bin:/bin',
    `env[TMPDIR] = ${own}`,
    ...Object.entries({
      open_basedir: `${directory}/:/usr/share/adminer/`,
      disable_functions: DISABLED.join(','),
      allow_url_fopen: '0',
      allow_url_include: '0',
      'mysqli.allow_local_infile': '0',
      'session.save_path': own,
      'session.gc_maxlifetime': '14400',
      'session.use_strict_mode': '1',
      'session.cookie_httponly': '1',
      sys_temp_dir: own,
      upload_tmp_dir: own,
      upload_max_filesize: `${UPLOAD_MB}M`,
      post_max_size: `${UPLOAD_MB}M`,
      max_execution_time: String(REQUEST_SECS),
      max_input_vars: '5000',
      memory_limit: '256M',
      display_errors: '0',
      log_errors: '0',
      expose_php: '0',
      auto_prepend_file: 'none',
      auto_append_file: 'none',
      'user_ini.filename': '',
    }).map(([name, value]) => `php_admin_value[${name}] = ${value === '' ? '""' : value}`),
    '',
  ].join('\n')

/** The tool's PHP in `directory`, which is ours; `asUser` answers its user, null in rootless mode. */
export const createToolPhp = (deps: {
  directory: string
  asRoot: boolean
  findUser: () => RunAs | null
  /** Group of the panel, which alone may connect. */
  panelGid: number | null
  /** Default: Debian's. */
  adminer?: string
}): ToolPhp => {
  const { directory, asRoot } = deps
  const own = path.join(directory, 'own')
  const script = path.join(directory, 'index.php')
  const socket = path.join(directory, 'tool.sock')
  const configFile = path.join(directory, 'fpm.conf')
  let running: Promise<PhpMaster> | null = null

  const user = (): RunAs | null => {
    if (!asRoot) return null
    const found = deps.findUser()
    if (found) return { ...found, groups: 'none' }
    throw unavailable(
      'The system user of the database tool is missing. Restart Berth, which makes it.',
    )
  }

  /** What an agent that was killed left running. */
  const endLeftover = async (uid: number): Promise<void> => {
    if (!existsSync(directory)) return
    for (const found of findMasters(directory))
      if (found.uid === uid) await endProcess(found, 'SIGTERM', 1000)
  }

  const start = async (): Promise<PhpMaster> => {
    if (!existsSync(deps.adminer ?? ADMINER))
      throw unavailable(
        'Adminer is not installed on this server. Install it with: apt install --no-install-recommends adminer',
      )
    if (!(await headOf(deps.adminer ?? ADMINER)).includes(`@version ${ADMINER_RELEASE}.`))
      throw unavailable(
        `The Adminer of this server is not of release ${ADMINER_RELEASE}, which is the one that Berth knows. Update Berth.`,
      )
    const binary = await findPhp()
    if (binary === null)
      throw unavailable(
        'PHP-FPM is not installed on this server. Install it with: apt install php-fpm php-mysql php-pgsql',
      )
    const runAs = user()
    const uid = runAs?.uid ?? process.getuid?.() ?? 0
    await endLeftover(uid)
    mkdirSync(directory, { recursive: true })
    await chmod(directory, 0o711)
    // Sessions and uploads of before.
    await rm(own, { recursive: true, force: true })
    await mkdir(own, { mode: 0o700 })
    if (runAs) await chown(own, runAs.uid, runAs.gid)
    writeFileSync(script, TOOL_SCRIPT, { mode: 0o644 })
    await chmod(script, 0o644)
    writeFileSync(configFile, configOf(own, directory), { mode: 0o644 })
    await chmod(configFile, 0o644)
    return startMaster({
      binary,
      args: ['--nodaemonize', '--fpm-config', configFile],
      env: { FPM_SOCKETS: `${directory}/tool.fpm=3` },
      configFile,
      socket,
      access:
        deps.panelGid === null
          ? { owner: null, mode: 0o600 }
          : { owner: { uid: 0, gid: deps.panelGid }, mode: 0o660 },
      runAs,
      uid,
      limits: { processes: 200, memoryMb: 512 },
    })
  }

  return {
    async ensure() {
      const earlier = await running?.catch(() => null)
      if (earlier && !existsSync(`/proc/${earlier.pid}`)) running = null
      running ??= start()
      try {
        await running
      } catch (error) {
        running = null
        throw error
      }
      return { socket, script }
    },
    async stop() {
      const master = await running?.catch(() => null)
      running = null
      if (master) await stopMaster(master, { graceMs: 0 })
      for (const name of await readdir(own).catch(() => []))
        await rm(path.join(own, name), { recursive: true, force: true })
    },
  }
}
