import { execFile } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { freePorts } from '#test/support/free-ports.ts'
import type { SiteResponse } from '#test/support/instance-types.ts'
import { makeCertificate } from '#test/support/make-certificate.ts'
import { requestSite } from '#test/support/site-request.ts'
import { startPhpSite } from '../../web-server/support/php-site.ts'
import { startWeb } from '../../web-server/support/web-process.ts'
import type { FamilyAsk } from '../support/family.ts'
import { apachePrelude, nginxPrelude, startSource } from '../support/source-server.ts'
import type { Example } from './example.ts'
import { readPage, type Page } from './page.ts'

/** One directive of a report. */
interface Finding {
  kind: string
  file: string
  line: number
  directive: string
  reason: string
}

/** What became of an example, with the places that its page names. */
export interface Converted {
  toml: string
  report: string
}

export interface BothServers {
  converted: ReadonlyMap<string, Converted>
  ask(example: Example, ask: FamilyAsk): Promise<{ source: SiteResponse; berth: SiteResponse }>
  stop(): Promise<void>
}

const SHIM = resolve(import.meta.dirname, '../../../../cli/berth.mjs')
const OLD = new Date('2026-01-02T03:04:05Z')

const convert = (input: string): Promise<{ toml: string; findings: Finding[] }> =>
  new Promise((done, fail) => {
    const args = [SHIM, 'config', 'convert-legacy', '--json', '--vhosts-only', '--input', input]
    execFile(
      process.execPath,
      args,
      { encoding: 'utf8', maxBuffer: 16 * 2 ** 20 },
      (error, out, err) => {
        if (error) fail(new Error(`${error.message}\n${err}`))
        else done(JSON.parse(out) as { toml: string; findings: Finding[] })
      },
    )
  })

/** Texts of a page and what stands in for each here, both ways. */
type Places = readonly (readonly [shown: string, real: string])[]

const placed = (text: string, places: Places): string =>
  places.reduce((filled, [shown, real]) => filled.replaceAll(shown, real), text)

const shown = (text: string, places: Places): string =>
  places.reduceRight((filled, [name, real]) => filled.replaceAll(real, name), text)

/** The virtual hosts of a result by their first names. */
const hostsOf = (toml: string): Map<string, string> =>
  new Map(
    toml
      .split(/^(?=\[\[virtualhost\]\]$)/m)
      .map(
        (block) =>
          [
            /^domain = "(.+)"$/m.exec(block)?.[1] ?? '',
            `${block.replace(/^# \/.*:\d+$/gm, '').trim()}\n`,
          ] as const,
      ),
  )

/**
 * nginx and Apache with the configurations of the pages, and one web server with what became of
 * all of them, over the same files and the same php-fpm.
 */
export const startBoth = async (examples: readonly Example[]): Promise<BothServers> => {
  const directory = mkdtempSync(join(tmpdir(), 'berth-examples-'))
  chmodSync(directory, 0o755)
  const stops: (() => Promise<void>)[] = []
  const stop = async (): Promise<void> => {
    for (const one of stops.toReversed()) await one()
    rmSync(directory, { recursive: true, force: true })
  }
  const put = (path: string, content: string): void => {
    const file = join(directory, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, content)
    utimesSync(file, OLD, OLD)
  }
  try {
    const ports = await freePorts(4)
    const of = (server: Page['server']): [number, number] =>
      (server === 'nginx' ? ports.slice(0, 2) : ports.slice(2)) as [number, number]
    const php = await startPhpSite(directory)
    stops.push(() => php.stop())
    chmodSync(php.socket, 0o666)
    const pages = new Map(examples.map((one) => [one.name, readPage(one.name)] as const))
    const places = ({ name, place, host }: Example): Places => [
      [place, `${directory}/sites/${name}`],
      ['/run/php/php8.2-fpm.sock', php.socket],
      [`/etc/ssl/${host}`, `${directory}/ssl/${host}`],
    ]
    for (const example of examples) {
      const { name, host, tree } = example
      const { server, config } = pages.get(name) as Page
      const [port, sslPort] = of(server)
      const { certificate, key } = makeCertificate({ names: [host, `www.${host}`] })
      put(`ssl/${host}.pem`, certificate)
      put(`ssl/${host}.key`, key)
      for (const [path, content] of Object.entries(tree)) put(`sites/${name}/${path}`, content)
      const ported =
        server === 'nginx'
          ? config
              .replace(/^ *listen \[::\].*\n/gm, (line) => line.replace(/listen.*/, '# $&'))
              .replace(/listen 80;/g, `listen 127.0.0.1:${port};`)
              .replace(/listen 443 /g, `listen 127.0.0.1:${sslPort} `)
          : config.replaceAll('<VirtualHost *:80>', `<VirtualHost 127.0.0.1:${port}>`)
      const logs = ported.replace(/^ *(?:ErrorLog|CustomLog) .*$/gm, (line) =>
        line.replace(/(?:\/var\/log\/apache2|\$\{APACHE_LOG_DIR\})/, directory),
      )
      put(`${server}/sites/${host}.conf`, placed(logs, places(example)))
    }
    // What is converted is the page's own text, but for places that have to be there.
    for (const { server } of pages.values()) {
      put(`source/${server}/${server === 'nginx' ? 'nginx.conf' : 'apache2.conf'}`, '')
      put(`source/${server}/fastcgi_params`, '')
    }
    for (const example of examples) {
      const { server, config } = pages.get(example.name) as Page
      put(`source/${server}/sites-enabled/${example.host}.conf`, placed(config, places(example)))
    }
    const converted = new Map<string, Converted>()
    const hosts: string[] = []
    for (const server of ['nginx', 'apache'] as const) {
      const mine = examples.filter(({ name }) => pages.get(name)?.server === server)
      if (mine.length === 0) continue
      const [port, sslPort] = of(server)
      const base = join(directory, server)
      const place = { ...{ directory: base, port, sslPort, socket: php.socket, phpPort: 0 } }
      const whole = { ...place, certificate: '', key: '', apps: { web: 0, stream: 0 } }
      if (server === 'nginx') {
        put(
          'nginx/etc/fastcgi_params',
          ['QUERY_STRING $query_string', 'REQUEST_METHOD $request_method']
            .concat(['SCRIPT_NAME $fastcgi_script_name', 'REQUEST_URI $request_uri'])
            .map((line) => `fastcgi_param ${line};\n`)
            .join(''),
        )
        put('nginx/etc/main.conf', `${nginxPrelude(whole)}include ${base}/sites/*.conf;\n}\n`)
      } else put('apache/etc/main.conf', `${apachePrelude(whole)}Include ${base}/sites/*.conf\n`)
      stops.push(await startSource({ server, main: 'main.conf' }, whole))
      const { toml, findings } = await convert(join(directory, 'source', server, 'sites-enabled'))
      hosts.push(toml)
      const found = hostsOf(toml)
      for (const example of mine) {
        const names = places(example)
        const report = findings
          .filter(({ file }) => basename(file) === `${example.host}.conf`)
          .map(
            ({ kind, line, directive, reason }) => `${kind}: line ${line}: ${directive}: ${reason}`,
          )
        converted.set(example.name, {
          toml: shown(found.get(example.host) ?? '', names),
          report: shown(
            (report.length > 0 ? report : ['(nothing)']).map((line) => `${line}\n`).join(''),
            names,
          ),
        })
      }
    }
    const berth = await startWeb({ workers: 1, cache: 'enable = false\n' })
    stops.push(() => berth.remove())
    berth.writeHosts('sites', hosts.join('\n'))
    const { status, body } = await berth.control('POST', '/reload')
    if (status !== 200) throw new Error(`the reload was refused: ${JSON.stringify(body)}`)
    return {
      converted,
      stop,
      ask: async ({ name, host: own }, [target, options = {}]) => {
        const { host = own, secure = false, method, headers } = options
        const init = { secure, ...(method ? { method } : {}), ...(headers ? { headers } : {}) }
        const [port, sslPort] = of((pages.get(name) as Page).server)
        const [source, answer] = await Promise.all([
          requestSite({ http: port, https: sslPort }, host, target, init),
          requestSite({ http: berth.port, https: berth.sslPort }, host, target, init),
        ])
        return { source, berth: answer }
      },
    }
  } catch (error) {
    await stop()
    throw error
  }
}
