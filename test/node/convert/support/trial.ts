import { execFile } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { freePorts } from '#test/support/free-ports.ts'
import type { SiteResponse } from '#test/support/instance-types.ts'
import { makeCertificate } from '#test/support/make-certificate.ts'
import { requestSite } from '#test/support/site-request.ts'
import { startPhpSite } from '../../web-server/support/php-site.ts'
import { startWeb } from '../../web-server/support/web-process.ts'
import type { Family, FamilyAsk, TrialPlace } from './family.ts'
import { startEcho } from './echo-app.ts'
import { startSource } from './source-server.ts'

export interface Trial {
  ask(ask: FamilyAsk): Promise<{ source: SiteResponse; berth: SiteResponse }>
  /** The result of the conversion. */
  toml: string
  findings: { kind: string; file: string; line: number; directive: string; reason: string }[]
  stop(): Promise<void>
}

const SHIM = resolve(import.meta.dirname, '../../../../cli/berth.mjs')
const OLD = new Date('2026-01-02T03:04:05Z')

const convert = (input: string): Promise<Pick<Trial, 'toml' | 'findings'>> =>
  new Promise((done, fail) => {
    const args = [SHIM, 'config', 'convert-legacy', '--json', '--vhosts-only', '--input', input]
    execFile(
      process.execPath,
      [...args, '--default-domain', 'default.test'],
      { encoding: 'utf8', maxBuffer: 16 * 2 ** 20 },
      (error, stdout, stderr) => {
        if (error) fail(new Error(`${error.message}\n${stderr}`))
        else done(JSON.parse(stdout) as Pick<Trial, 'toml' | 'findings'>)
      },
    )
  })

/** The server that a configuration is for, and Berth with what became of it, over the same files. */
export const startTrial = async (family: Family): Promise<Trial> => {
  const directory = mkdtempSync(join(tmpdir(), 'berth-convert-'))
  chmodSync(directory, 0o755)
  const stops: (() => Promise<void>)[] = []
  const stop = async (): Promise<void> => {
    for (const one of stops.toReversed()) await one()
    rmSync(directory, { recursive: true, force: true })
  }
  try {
    const [port = 0, sslPort = 0, phpPort = 0] = await freePorts(3)
    const php = await startPhpSite(directory, phpPort)
    stops.push(() => php.stop())
    chmodSync(php.socket, 0o666)
    const pem = makeCertificate({ names: [family.host, `www.${family.host}`] })
    const certificate = join(directory, 'site.pem')
    const key = join(directory, 'site.key')
    writeFileSync(certificate, pem.certificate)
    writeFileSync(key, pem.key)
    const [web, stream] = [await startEcho('web'), await startEcho('stream')]
    stops.push(web.stop, stream.stop)
    const apps = { web: web.port, stream: stream.port }
    const place: TrialPlace = {
      ...{ directory, port, sslPort, socket: php.socket, phpPort, certificate, key },
      apps,
    }
    const put = (path: string, content: string): void => {
      const file = join(directory, path)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, content.replaceAll('{dir}', directory))
      utimesSync(file, OLD, OLD)
    }
    for (const [path, content] of Object.entries(family.tree)) put(`sites/${path}`, content)
    for (const [path, content] of Object.entries(family.config(place))) put(`etc/${path}`, content)
    stops.push(await startSource(family, place))

    const converted = await convert(join(directory, 'etc', family.input ?? family.main))
    const berth = await startWeb({ workers: 1, cache: 'enable = false\n' })
    stops.push(() => berth.remove())
    berth.writeHosts('sites', converted.toml)
    const { status, body } = await berth.control('POST', '/reload')
    if (status !== 200) throw new Error(`the reload was refused: ${JSON.stringify(body)}`)
    return {
      ...converted,
      stop,
      ask: async ([target, { host = family.host, secure = false, method, headers } = {}]) => {
        const init = { secure, ...(method ? { method } : {}), ...(headers ? { headers } : {}) }
        const [source, own] = await Promise.all([
          requestSite({ http: port, https: sslPort }, host, target, init),
          requestSite({ http: berth.port, https: berth.sslPort }, host, target, init),
        ])
        return { source, berth: own }
      },
    }
  } catch (error) {
    await stop()
    throw error
  }
}
