import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CLEAN_ENV } from '#adapters/node/process/clean-env.ts'
import { untilListening } from '#test/support/until-listening.ts'

const MODULES_DIRECTORY = '/usr/lib/apache2/modules'
/** What shared hosting usually has loaded. */
const MODULES = [
  'mpm_event',
  'authn_core',
  'authn_file',
  'authz_core',
  'authz_host',
  'authz_user',
  'authz_groupfile',
  'auth_basic',
  'access_compat',
  'alias',
  'dir',
  'autoindex',
  'mime',
  'negotiation',
  'env',
  'setenvif',
  'headers',
  'expires',
  'rewrite',
  'filter',
  'deflate',
  'proxy',
  'proxy_fcgi',
]

export interface ApacheHost {
  domain: string
  root: string
}

export interface Apache {
  port: number
  errorLog(): string
  stop(): Promise<void>
}

/** What a server without `.htaccess` files of its own does here as well: UTF-8 texts, no listings. */
const configText = (
  directory: string,
  port: number,
  hosts: readonly ApacheHost[],
  socket: string,
): string => `
ServerRoot ${directory}
ServerName localhost
Listen 127.0.0.1:${port}
PidFile ${directory}/apache.pid
ErrorLog ${directory}/error.log
LogLevel warn
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
AddDefaultCharset utf-8
AddCharset utf-8 .css .js .json .xml .svg
DirectoryIndex index.php index.html
UseCanonicalName Off
ServerSignature Off
FileETag None
<Directory />
  AllowOverride None
  Require all denied
</Directory>
<Directory ${directory}/sites>
  AllowOverride All
  Options FollowSymLinks
  Require all granted
</Directory>
<FilesMatch "^\\.ht">
  Require all denied
</FilesMatch>
<FilesMatch "\\.php$">
  SetHandler "proxy:unix:${socket}|fcgi://localhost"
</FilesMatch>
SetEnvIfNoCase ^Authorization$ "(.+)" HTTP_AUTHORIZATION=$1
${hosts
  .map(
    ({ domain, root }) => `<VirtualHost 127.0.0.1:${port}>
  ServerName ${domain}
  ServerAlias www.${domain}
  DocumentRoot ${root}
</VirtualHost>`,
  )
  .join('\n')}
`

/**
 * Debian's Apache on a private port with a configuration of its own, every
 * override allowed, PHP through the given php-fpm socket. Document roots lie
 * below `<directory>/sites`.
 */
export const startApache = async (options: {
  directory: string
  port: number
  hosts: readonly ApacheHost[]
  phpSocket: string
}): Promise<Apache> => {
  const { port } = options
  const directory = join(options.directory, 'apache')
  mkdirSync(directory, { recursive: true })
  const file = join(directory, 'apache.conf')
  const errorLog = (): string => {
    const log = join(directory, 'error.log')
    return existsSync(log) ? readFileSync(log, 'utf8') : ''
  }
  const config = configText(directory, port, options.hosts, options.phpSocket)
  writeFileSync(file, config.replaceAll(`${directory}/sites`, `${options.directory}/sites`))
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
  const early = ended.then(() => {
    throw new Error(`apache2 ended: ${output}${errorLog()}`)
  })
  early.catch(() => undefined)
  try {
    await Promise.race([untilListening(port, 10_000), early])
  } catch (error) {
    apache.kill('SIGKILL')
    throw error
  }
  return {
    port,
    errorLog,
    stop: async () => {
      apache.kill('SIGTERM')
      await ended
    },
  }
}
