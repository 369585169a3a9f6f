import { readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { get, KeptConnection } from './get.ts'
import { eventually, isAlive, startWeb, type WebProcess } from './web-process.ts'

/** A file that has been as it is for long: the ETag of a fresh one is weak for a moment, and then is not. */
const writeOldFile = (path: string, content: string | Buffer): void => {
  writeFileSync(path, content)
  const time = Date.now() / 1000 - 3600
  utimesSync(path, time, time)
}

/** A web server with two workers and one static site, `m.test`. */
export const startStaticWeb = async (): Promise<WebProcess> => {
  const web = await startWeb({ workers: 2 })
  writeOldFile(join(web.directory, 'state/index.html'), '<p>a page</p>')
  writeOldFile(join(web.directory, 'state/big.bin'), Buffer.alloc(20_000_000, 'b'))
  await restoreStaticWeb(web)
  return web
}

/** Makes of it what it was before a test: two workers, one site. A start costs a second, this next to nothing. */
export const restoreStaticWeb = async (web: WebProcess): Promise<void> => {
  const hosts = join(web.directory, 'state/vhosts.d')
  for (const name of readdirSync(hosts)) rmSync(join(hosts, name))
  web.writeHosts('main', siteToml(web, 'm.test'))
  editConfig(web, /workers = \S+/, 'workers = 2')
  if (!isAlive(web.pid)) await web.startAgain()
  const { status } = await web.control('POST', '/reload')
  if (status !== 200) throw new Error(`the reload was refused: ${web.output()}`)
  await eventually('two workers, and none that drains', () => web.workers().length === 2)
}

/** A static virtual host as a configuration file has it. */
export const siteToml = (web: WebProcess, domain: string, more = ''): string => `
[[virtualhost]]
domain = "${domain}"
root = "${web.directory}/state"
${more}
[virtualhost.php]
enable = false
`

/** Changes the main configuration file. */
export const editConfig = (web: WebProcess, from: RegExp, to: string): void => {
  const file = join(web.directory, 'berth.toml')
  writeFileSync(file, readFileSync(file, 'utf8').replace(from, to))
}

/** Asks without a pause on kept and on fresh connections until told to stop; answers what failed. */
export const startLoad = (
  web: WebProcess,
): { stop(): Promise<{ requests: number; failures: string[] }> } => {
  let running = true
  let requests = 0
  const failures: string[] = []
  const ask = async (one: () => Promise<{ status: number }>): Promise<void> => {
    requests++
    try {
      const { status } = await one()
      if (status !== 200) failures.push(`status ${status}`)
    } catch (error) {
      failures.push(String(error))
    }
  }
  const kept = async (): Promise<void> => {
    while (running) {
      const connection = new KeptConnection(web.port, 'm.test')
      for (let ended = false; running && !ended;) {
        await ask(async () => {
          const answer = await connection.get('/')
          ended = answer.headers['connection'] === 'close'
          return answer
        })
        await new Promise((resolve) => setTimeout(resolve, 2))
      }
      connection.close()
    }
  }
  const fresh = async (): Promise<void> => {
    while (running) {
      await ask(() => get(web.port, 'm.test', `/?${requests}`))
      await new Promise((resolve) => setTimeout(resolve, 2))
    }
  }
  const all = [kept(), kept(), fresh(), fresh()]
  return {
    stop: async () => {
      running = false
      await Promise.all(all)
      return { requests, failures }
    },
  }
}
