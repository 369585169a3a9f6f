import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { CLEAN_ENV } from '#adapters/node/process/clean-env.ts'
import { identifyProcess } from '#adapters/node/process/process-identity.ts'
import {
  createInstanceDirectory,
  type InstanceDirectory,
} from '#test/support/instance-directory.ts'
import { removeTraces } from '#test/support/instance-traces.ts'
import { makeCertificate } from '#test/support/make-certificate.ts'
import { requestSite } from '#test/support/site-request.ts'
import { untilListening } from '#test/support/waiting/until-listening.ts'
import { apachePrelude, nginxPrelude } from '../convert/support/source-server.ts'
import { Berth } from '../../cli/support/run-berth.ts'
import { startPhpSite, type PhpSite } from '../web-server/support/php-site.ts'

export type OldKind = 'apache' | 'nginx'

const runToExit = (program: string, args: string[], env: Record<string, string>): Promise<number> =>
  new Promise((resolve, reject) => {
    const child = spawn(program, args, { env: { ...CLEAN_ENV, ...env }, stdio: 'ignore' })
    child.once('error', reject)
    child.once('exit', (code) => resolve(code ?? 1))
  })

/** Debian's Apache or nginx in the background with two sites and one of PHP, and a Berth for the same ports that does not run yet. */
export class OldTrial {
  readonly kind: OldKind
  readonly place: InstanceDirectory
  readonly berth: Berth
  private readonly dir: string
  private php: PhpSite | null = null

  private constructor(kind: OldKind, place: InstanceDirectory) {
    this.kind = kind
    this.place = place
    this.dir = place.dir
    this.berth = new Berth('--config', place.configFile)
  }

  static async start(kind: OldKind): Promise<OldTrial> {
    const place = await createInstanceDirectory({
      settings: { server: 'workers = 1', databases: 'mariadb = "off"' },
    })
    const trial = new OldTrial(kind, place)
    try {
      const php = await startPhpSite(place.dir)
      trial.php = php
      chmodSync(php.socket, 0o666)
      writeFileSync(join(php.root, 'index.php'), '<?php echo "<title>three</title>", hrtime(true);')
      trial.writeAll(php)
      await trial.startOld()
      return trial
    } catch (error) {
      await trial.remove()
      throw error
    }
  }

  get configFile(): string {
    return join(this.dir, 'etc/main.conf')
  }

  site(name: string): string {
    return join(this.dir, 'sites', name)
  }

  /** The master's number; null: it does not run. */
  oldPid(): number | null {
    const file = join(this.dir, `${this.kind}.pid`)
    if (!existsSync(file)) return null
    const pid = Number(readFileSync(file, 'utf8'))
    return Number.isInteger(pid) && pid > 0 && identifyProcess(pid) !== null ? pid : null
  }

  /** Who answers, by the header that both servers send. */
  async servedBy(host = 'one.test', secure = false): Promise<string> {
    const answer = await requestSite(this.place.ports, host, '/', { secure })
    return `${answer.status} ${answer.text.trim()} ${/apache|nginx/i.test(answer.headers['server'] ?? '') ? this.kind : 'berth'}`
  }

  async startOld(): Promise<void> {
    const [program, args] = this.command()
    const code = await runToExit(program, args, this.env())
    if (code !== 0) throw new Error(`${program} ended with ${code}`)
    await untilListening(this.place.ports.http, 10_000)
    // Apache listens before it has written its number.
    for (let tries = 0; this.oldPid() === null; tries++) {
      if (tries > 500) throw new Error(`${program} wrote no pid file`)
      await setTimeout(20)
    }
  }

  /** All files below the trial's directory but logs, with their contents. */
  hash(): string {
    const hash = createHash('sha256')
    const names = readdirSync(this.dir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.endsWith('.log'))
      .map((entry) => join(entry.parentPath, entry.name))
      .sort()
    for (const name of names) hash.update(`${name}\0`).update(readFileSync(name))
    return hash.digest('hex')
  }

  state(): { phase: string; reason: string | null } | null {
    const file = join(this.dir, 'state/swap/state.json')
    return existsSync(file)
      ? (JSON.parse(readFileSync(file, 'utf8')) as { phase: string; reason: string | null })
      : null
  }

  async remove(): Promise<void> {
    await this.berth.run('service stop')
    const pid = this.oldPid()
    if (pid !== null) process.kill(pid, 'SIGTERM')
    this.berth.remove()
    await this.php?.stop()
    await removeTraces(this.dir)
  }

  private command(): [string, string[]] {
    return this.kind === 'apache'
      ? ['/usr/sbin/apache2', ['-d', join(this.dir, 'etc'), '-f', this.configFile, '-k', 'start']]
      : ['/usr/sbin/nginx', ['-p', this.dir, '-c', this.configFile]]
  }

  private env(): Record<string, string> {
    return this.kind === 'apache'
      ? { APACHE_RUN_DIR: this.dir, APACHE_LOG_DIR: this.dir, APACHE_RUN_USER: 'www-data' }
      : {}
  }

  private writeAll(php: PhpSite): void {
    const { dir, place } = this
    const pem = makeCertificate({ names: ['one.test', 'two.test'] })
    for (const name of ['etc', 'sites', 'sites/one', 'sites/two', 'tmp'])
      mkdirSync(join(dir, name), { mode: 0o755 })
    const certificate = join(dir, 'etc/site.pem')
    const key = join(dir, 'etc/site.key')
    writeFileSync(certificate, pem.certificate)
    writeFileSync(key, pem.key)
    chmodSync(key, 0o644)
    for (const name of ['one', 'two'])
      writeFileSync(join(this.site(name), 'index.html'), `<title>${name}</title>`)
    const { http, https } = place.ports
    const trial = {
      ...{ directory: dir, port: http, sslPort: https, socket: '', phpPort: 0, certificate, key },
      apps: { web: 0, stream: 0 },
    }
    const host = (name: string): string =>
      this.kind === 'apache'
        ? [http, https]
            .map(
              (port) => `<VirtualHost *:${port}>
  ServerName ${name}.test
  DocumentRoot ${this.site(name)}
  <Directory ${this.site(name)}>
    Require all granted
  </Directory>
${port === https ? `  SSLEngine on\n  SSLCertificateFile ${certificate}\n  SSLCertificateKeyFile ${key}\n` : ''}</VirtualHost>
`,
            )
            .join('')
        : `server {
  listen 127.0.0.1:${http};
  listen 127.0.0.1:${https} ssl;
  server_name ${name}.test;
  root ${this.site(name)};
  index index.html;
  ssl_certificate ${certificate};
  ssl_certificate_key ${key};
}
`
    const three =
      this.kind === 'apache'
        ? `<VirtualHost *:${http}>
  ServerName three.test
  DocumentRoot ${php.root}
  DirectoryIndex index.php
  <Directory ${php.root}>
    Require all granted
  </Directory>
  <FilesMatch "\\.php$">
    SetHandler "proxy:unix:${php.socket}|fcgi://localhost"
  </FilesMatch>
</VirtualHost>
`
        : `server {
  listen 127.0.0.1:${http};
  server_name three.test;
  root ${php.root};
  index index.php;
  location ~ \\.php$ {
    include /etc/nginx/fastcgi_params;
    fastcgi_param SCRIPT_FILENAME $document_root$fastcgi_script_name;
    fastcgi_pass unix:${php.socket};
  }
}
`
    const body = `${host('one')}${host('two')}${three}`
    writeFileSync(
      this.configFile,
      this.kind === 'apache'
        ? `${apachePrelude(trial)}${body}`
        : `${nginxPrelude(trial)}${body}}\n`,
    )
  }
}
