import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CLEAN_ENV } from '#adapters/node/process/clean-env.ts'
import { untilListening } from '#test/support/waiting/until-listening.ts'
import { HOSTING_MODULES, loadModules } from '#test/support/servers/private-apache.ts'
import type { Family, TrialPlace } from './family.ts'

const PROXY_MODULES = ['proxy_http', 'proxy_balancer', 'slotmem_shm', 'lbmethod_byrequests']

/** First lines of a configuration of Apache: modules, ports and files of its own. */
export const apachePrelude = ({ directory, port, sslPort }: TrialPlace): string => `
ServerRoot "${directory}/etc"
ServerName localhost
Listen 127.0.0.1:${port}
Listen 127.0.0.1:${sslPort} https
PidFile ${directory}/apache.pid
ErrorLog ${directory}/error.log
DefaultRuntimeDir ${directory}
Mutex file:${directory} default
${loadModules([...HOSTING_MODULES, ...PROXY_MODULES, 'ssl'])}User www-data
Group www-data
StartServers 1
ServerLimit 1
ThreadsPerChild 8
MaxRequestWorkers 8
TypesConfig /etc/mime.types
AddDefaultCharset utf-8
<Directory />
  AllowOverride None
  Require all denied
</Directory>
`

/** First lines of a configuration of nginx, up to where its servers stand. */
export const nginxPrelude = ({ directory }: TrialPlace): string => `
user www-data;
worker_processes 1;
pid ${directory}/nginx.pid;
error_log ${directory}/error.log;
events { worker_connections 64; }
http {
  access_log off;
  include /etc/nginx/mime.types;
  default_type application/octet-stream;
  client_body_temp_path ${directory}/tmp;
  fastcgi_temp_path ${directory}/tmp;
  proxy_temp_path ${directory}/tmp;
  uwsgi_temp_path ${directory}/tmp;
  scgi_temp_path ${directory}/tmp;
`

/** Starts the server that a configuration was written for. Answers how to stop it. */
export const startSource = async (
  family: Pick<Family, 'server' | 'main'>,
  { directory, port }: TrialPlace,
): Promise<() => Promise<void>> => {
  const main = join(directory, 'etc', family.main)
  const [program, args] =
    family.server === 'apache'
      ? ['/usr/sbin/apache2', ['-d', join(directory, 'etc'), '-f', main, '-DFOREGROUND']]
      : ['/usr/sbin/nginx', ['-p', directory, '-c', main, '-g', 'daemon off;']]
  const run = { RUN_USER: 'www-data', RUN_GROUP: 'www-data', PID_FILE: `${directory}/apache.pid` }
  const places = { RUN_DIR: directory, LOCK_DIR: directory, LOG_DIR: directory }
  const env = Object.fromEntries(
    Object.entries({ ...run, ...places }).map(([name, value]) => [`APACHE_${name}`, value]),
  )
  const child = spawn(program as string, args as string[], {
    env: { ...CLEAN_ENV, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const log = join(directory, 'error.log')
  const early = ended.then(() => {
    throw new Error(
      `${program} ended: ${output}${existsSync(log) ? readFileSync(log, 'utf8') : ''}`,
    )
  })
  early.catch(() => undefined)
  try {
    await Promise.race([untilListening(port, 10_000), early])
  } catch (error) {
    child.kill('SIGKILL')
    throw error
  }
  return async () => {
    child.kill('SIGTERM')
    await ended
  }
}
