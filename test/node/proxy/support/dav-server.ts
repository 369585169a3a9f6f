import { spawn } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CLEAN_ENV } from '#adapters/node/process/clean-env.ts'
import { freePorts } from '#test/support/free-ports.ts'
import { untilListening } from '#test/support/until-listening.ts'

const MODULES_DIRECTORY = '/usr/lib/apache2/modules'
const MODULES = ['mpm_event', 'authz_core', 'dav', 'dav_fs', 'dav_lock', 'mime']

/** mod_dav of Debian's Apache over an empty directory. */
export interface DavServer {
  port: number
  /** Where its files lie. */
  root: string
  /** Method, path and status of what it answered. */
  asked(): string[]
  stop(): Promise<void>
}

/** Starts it on a private port, its files below `parent`. */
export const startDavServer = async (parent: string): Promise<DavServer> => {
  const directory = join(parent, 'dav')
  const root = join(directory, 'files')
  mkdirSync(root, { recursive: true })
  const passwd = readFileSync('/etc/passwd', 'utf8')
  const [, uid = 0, gid = 0] = (/^www-data:x:(\d+):(\d+):/m.exec(passwd) ?? []).map(Number)
  for (const path of [parent, directory, root]) chmodSync(path, 0o755)
  for (const path of [directory, root]) {
    chownSync(path, uid, gid)
  }
  const [port = 0] = await freePorts(1)
  const file = join(directory, 'apache.conf')
  writeFileSync(
    file,
    `ServerRoot ${directory}
ServerName localhost
Listen 127.0.0.1:${port}
PidFile ${directory}/apache.pid
ErrorLog ${directory}/error.log
DefaultRuntimeDir ${directory}
Mutex file:${directory} default
${MODULES.map((name) => `LoadModule ${name}_module ${MODULES_DIRECTORY}/mod_${name}.so`).join('\n')}
User www-data
Group www-data
StartServers 1
ThreadsPerChild 8
MaxRequestWorkers 8
ServerLimit 1
TypesConfig /etc/mime.types
UseCanonicalName Off
CustomLog ${directory}/access.log "%m %U %>s"
DavLockDB ${directory}/locks
DocumentRoot ${root}
<Directory ${root}>
  Dav On
  Require all granted
</Directory>
`,
  )
  const apache = spawn('/usr/sbin/apache2', ['-f', file, '-DFOREGROUND'], {
    env: CLEAN_ENV,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  apache.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()))
  const ended = new Promise<void>((resolve) => {
    apache.once('exit', () => resolve())
    apache.once('error', () => resolve())
  })
  const stop = async (): Promise<void> => {
    apache.kill('SIGTERM')
    await ended
  }
  const early = ended.then(() => {
    throw new Error(`apache2 ended: ${said}`)
  })
  early.catch(() => undefined)
  try {
    await Promise.race([untilListening(port, 10_000), early])
  } catch (error) {
    await stop()
    throw error
  }
  const asked = (): string[] =>
    readFileSync(join(directory, 'access.log'), 'utf8').trim().split('\n')
  return { port, root, asked, stop }
}
