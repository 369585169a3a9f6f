import { spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CLEAN_ENV } from '#adapters/node/process/clean-env.ts'
import { untilListening } from '../waiting/until-listening.ts'

/** Where Debian keeps them. */
export const MODULES_DIRECTORY = '/usr/lib/apache2/modules'

/** What shared hosting usually has loaded; names without `mod_`. */
export const HOSTING_MODULES: readonly string[] = [
  ...['mpm_event', 'authn_core', 'authn_file', 'authz_core', 'authz_host', 'authz_user'],
  ...['authz_groupfile', 'auth_basic', 'access_compat', 'alias', 'dir', 'autoindex', 'mime'],
  ...['negotiation', 'env', 'setenvif', 'headers', 'expires', 'rewrite', 'filter', 'deflate'],
  ...['proxy', 'proxy_fcgi'],
]

/** Lines of a configuration that load modules. */
export const loadModules = (names: readonly string[]): string =>
  names.map((name) => `LoadModule ${name}_module ${MODULES_DIRECTORY}/mod_${name}.so\n`).join('')

/** An Apache that runs. */
export interface PrivateApache {
  errorLog(): string
  stop(): Promise<void>
}

/**
 * Starts Debian's Apache on a port of 127.0.0.1 with a configuration of its own, in an
 * existing directory; resolves when it listens. Rejects with what it said when it ends.
 */
export const startPrivateApache = async (options: {
  directory: string
  port: number
  /** Names without `mod_`. */
  modules: readonly string[]
  /** What follows modules, files and processes. */
  config: string
}): Promise<PrivateApache> => {
  const { directory, port, modules, config } = options
  const file = join(directory, 'apache.conf')
  writeFileSync(
    file,
    `ServerRoot ${directory}
ServerName localhost
Listen 127.0.0.1:${port}
PidFile ${directory}/apache.pid
ErrorLog ${directory}/error.log
LogLevel warn
DefaultRuntimeDir ${directory}
Mutex file:${directory} default
${loadModules(modules)}User www-data
Group www-data
StartServers 1
ThreadsPerChild 8
MaxRequestWorkers 8
ServerLimit 1
TypesConfig /etc/mime.types
UseCanonicalName Off
${config}`,
  )
  const errorLog = (): string => {
    const log = join(directory, 'error.log')
    return existsSync(log) ? readFileSync(log, 'utf8') : ''
  }
  let output = ''
  const apache = spawn('/usr/sbin/apache2', ['-f', file, '-DFOREGROUND'], {
    env: CLEAN_ENV,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  for (const stream of [apache.stdout, apache.stderr]) {
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
  }
  const ended = new Promise<void>((resolve) => {
    apache.once('exit', () => resolve())
    apache.once('error', (error) => {
      output += error.message
      resolve()
    })
  })
  const stop = async (): Promise<void> => {
    apache.kill('SIGTERM')
    await ended
  }
  const early = ended.then(() => {
    throw new Error(`apache2 ended: ${output}${errorLog()}`)
  })
  early.catch(() => undefined)
  try {
    await Promise.race([untilListening(port, 10_000), early])
  } catch (error) {
    await stop()
    throw error
  }
  return { errorLog, stop }
}
