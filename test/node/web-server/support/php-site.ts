import { spawn } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { eventually } from './web-process.ts'

export interface PhpSite {
  root: string
  socket: string
  /** How often `index.php` ran. */
  runs(): number
  resetRuns(): void
  stop(): Promise<void>
}

const fpmBinary = (): string => {
  const name = readdirSync('/usr/sbin').find((file) => /^php-fpm\d\.\d$/.test(file))
  if (name === undefined) throw new Error('php-fpm is not installed. Install php-fpm.')
  return join('/usr/sbin', name)
}

/** Says how often it ran, and waits if asked to by a file beside it. */
const SCRIPT = `<?php
file_put_contents(__DIR__ . '/../runs', 'x', FILE_APPEND | LOCK_EX);
if (is_file(__DIR__ . '/../wait')) usleep(1000 * (int) file_get_contents(__DIR__ . '/../wait'));
header('Content-Type: text/html; charset=utf-8');
header('X-Cache-Tag: front');
echo 'version ', trim(@file_get_contents(__DIR__ . '/../version')), ' path ', $_SERVER['REQUEST_URI'];
`

const connects = (socket: string): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = connect(socket)
    probe.on('connect', () => {
      probe.destroy()
      resolve(true)
    })
    probe.on('error', () => resolve(false))
  })

/** A site with one script, run by a real php-fpm as www-data, below `directory`; `port`: another pool listens there. */
export const startPhpSite = async (directory: string, port?: number): Promise<PhpSite> => {
  chmodSync(directory, 0o755)
  const base = join(directory, 'site')
  const root = join(base, 'htdocs')
  mkdirSync(root, { recursive: true })
  const passwd = readFileSync('/etc/passwd', 'utf8')
  const [, uid = 0, gid = 0] = (/^www-data:x:(\d+):(\d+):/m.exec(passwd) ?? []).map(Number)
  for (const path of [base, root]) chownSync(path, uid, gid)
  writeFileSync(join(root, 'index.php'), SCRIPT)
  writeFileSync(join(root, 'still.html'), '<p>still</p>')
  writeFileSync(join(base, 'version'), '1')
  const socket = join(directory, 'fpm.sock')
  const config = join(directory, 'fpm.conf')
  writeFileSync(
    config,
    `[global]
daemonize = no
error_log = ${directory}/fpm.log
[www]
user = www-data
listen = ${socket}
pm = static
pm.max_children = 6
${port === undefined ? '' : `[port]\nuser = www-data\nlisten = 127.0.0.1:${port}\npm = static\npm.max_children = 2\n`}`,
  )
  const fpm = spawn(fpmBinary(), ['--nodaemonize', '--fpm-config', config], { stdio: 'ignore' })
  const ended = new Promise<void>((resolve) => fpm.on('exit', () => resolve()))
  const runs = (): number => {
    try {
      return readFileSync(join(base, 'runs'), 'utf8').length
    } catch {
      return 0
    }
  }
  try {
    await eventually('php-fpm listens', () => connects(socket))
  } catch (error) {
    fpm.kill('SIGKILL')
    throw error
  }
  return {
    root,
    socket,
    runs,
    resetRuns: () => {
      writeFileSync(join(base, 'runs'), '')
      chownSync(join(base, 'runs'), uid, gid)
    },
    stop: async () => {
      fpm.kill('SIGTERM')
      await ended
    },
  }
}

/** The virtual host of a PHP site, as a configuration file has it. */
export const phpHost = (site: PhpSite, domain: string, more = ''): string => `
[[virtualhost]]
domain = "${domain}"
root = "${site.root}"
index = ["index.php", "index.html"]
${more}
[virtualhost.php]
socket = "${site.socket}"
`
