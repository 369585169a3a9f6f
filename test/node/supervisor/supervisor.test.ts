import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { loadIdentities } from '#adapters/node/process/identities.ts'
import { temporaryDirectory } from '#test/support/setups/temporary-directory.ts'
import { createStandIn, type StandIn } from './stand-in-product.ts'

interface Facts {
  name: string
  pid: number
  uid: number
  gid: number
  script: string
  node: string
  readable: boolean
  kind: string
  /** What the panel was told; null elsewhere. */
  told: unknown
  /** By the wall clock. */
  servesSinceMs: number
  env: Record<string, string>
}

let product: StandIn
let installDir: string
beforeAll(() => {
  installDir = temporaryDirectory('bsv-opt-')
  chmodSync(installDir, 0o755)
})
beforeEach(async () => {
  product = await createStandIn(installDir)
})
afterEach(async () => {
  await product.cleanUp()
})

const isReady = async (running: ReturnType<StandIn['start']>): Promise<void> => {
  const result = await Promise.race([
    once(running.process, 'message').then(() => 'ready'),
    running.exit.then(() => 'ended'),
  ])
  if (result !== 'ready') throw new Error(`the supervisor ended:\n${running.output()}`)
}
const ask = async (port: number): Promise<Facts> =>
  (await (await fetch(`http://127.0.0.1:${port}/`)).json()) as Facts
/** Only what never happens takes as long. */
const PATIENCE_MS = 30_000
/** Looks again until `done` holds; rejects with what `said` tells when it never does. */
const until = async (
  done: () => boolean | Promise<boolean>,
  said: () => string = () => 'it did not happen',
): Promise<void> => {
  const deadline = performance.now() + PATIENCE_MS
  while (!(await done())) {
    if (performance.now() > deadline) throw new Error(said())
    await setTimeout(20)
  }
}
/** What it prints comes by another way than its messages and answers, and perhaps later. */
const says = (running: ReturnType<StandIn['start']>, text: string): Promise<void> =>
  until(() => running.output().includes(text), running.output)
/** Asks again until the answer satisfies. */
const askUntil = (port: number, good: (facts: Facts) => boolean): Promise<void> =>
  until(async () => {
    const facts = await ask(port).catch(() => null)
    return facts !== null && good(facts)
  })
const run = (name: string): string => join(product.dir, 'run', name)
/** All files of the installed copies, which a copy made anew would replace. */
const copiesNow = (): string[] =>
  readdirSync(installDir, { recursive: true })
    .map((name) => `${String(name)} ${statSync(join(installDir, String(name))).ino}`)
    .sort()
const pidOf = (name: string): number =>
  Number(readFileSync(run(`${name}.pid`), 'utf8').split(' ')[0])

describe('a start', () => {
  test('lets the panel serve when agent and web server do', async () => {
    await isReady(product.start())
    const { told, servesSinceMs } = await ask(product.ports.panel)
    expect(told).toEqual({ type: 'serve' })
    for (const name of ['agent', 'web']) {
      const log = readFileSync(join(product.dir, 'log', `${name}.log`), 'utf8')
      const readyMs = Number(/ready at (\d+)/.exec(log)?.[1])
      expect(servesSinceMs).toBeGreaterThanOrEqual(readyMs)
    }
  })

  test('gives every child its user, its sockets and a clean environment', async () => {
    const running = product.start()
    await isReady(running)
    const who = loadIdentities()
    const panel = await ask(product.ports.panel)
    expect(panel).toMatchObject({ name: 'panel', kind: 'panel', readable: true })
    const web = await ask(product.ports.http)
    expect(web).toMatchObject({ name: 'web', kind: 'http', readable: true })
    expect(await ask(product.ports.https)).toMatchObject({ name: 'web', kind: 'https' })
    const six = (await (await fetch(`http://[::1]:${product.ports.http}/`)).json()) as Facts
    expect(six.kind).toBe('http')
    if (who.root) {
      expect([panel.uid, web.uid]).toEqual([who.panel?.uid, who.web?.uid])
      expect(panel.script.startsWith(join(installDir, 'app-'))).toBe(true)
      expect(panel.node.startsWith(join(installDir, 'deps-'))).toBe(true)
    }
    expect(Object.keys(panel.env).sort()).toEqual(
      expect.not.arrayContaining(['HOME', 'LD_PRELOAD', 'NODE_OPTIONS', 'npm_config_cache']),
    )
    await says(running, 'create the administrator')
    await says(running, `http://127.0.0.1:${product.ports.panel}`)
    running.process.kill('SIGTERM')
    expect(await running.exit).toBe(0)
    await says(running, 'Stopping (SIGTERM).')
    expect(running.output().includes('not isolated')).toBe(!who.root)
    for (const name of ['agent', 'panel', 'web', 'supervisor'])
      expect(existsSync(run(`${name}.pid`))).toBe(false)
  })

  test('keeps what each process owns from the others', async () => {
    const running = product.start()
    await isReady(running)
    const who = loadIdentities()
    const at = (path: string): string => {
      const stat = statSync(join(product.dir, path))
      return `${stat.uid}:${stat.gid} ${(stat.mode & 0o7777).toString(8)}`
    }
    const [panelUid, panelGid] = [
      who.panel?.uid ?? process.getuid?.(),
      who.panel?.gid ?? process.getgid?.(),
    ]
    const [webUid, webGid] = [
      who.web?.uid ?? process.getuid?.(),
      who.web?.gid ?? process.getgid?.(),
    ]
    const root = process.getuid?.()
    expect({
      run: at('run'),
      panel: at('state/panel'),
      agent: at('state/agent'),
      vhosts: at('state/vhosts.d'),
      certs: at('state/certs'),
      cache: at('state/cache'),
      jwt: at('state/secrets/panel-jwt.key'),
      token: at('run/management.token'),
      control: at('run/web.sock'),
      webLogs: at('log/web'),
    }).toEqual({
      run: `${root}:0 755`,
      panel: `${panelUid}:${panelGid} 700`,
      agent: `${root}:0 700`,
      vhosts: `${root}:${webGid} 750`,
      certs: `${root}:${webGid} 750`,
      cache: `${webUid}:${webGid} 700`,
      jwt: `${panelUid}:${panelGid} 600`,
      token: `${webUid}:${panelGid} 640`,
      control: `${webUid}:${panelGid} 660`,
      webLogs: `${webUid}:${webGid} 750`,
    })
  })

  test('a second one copies nothing again and keeps the secrets', async () => {
    const first = product.start()
    await isReady(first)
    const secret = readFileSync(join(product.dir, 'state/secrets/panel-jwt.key'), 'utf8')
    const copies = copiesNow()
    first.process.kill('SIGINT')
    expect(await first.exit).toBe(0)
    const second = product.start()
    await isReady(second)
    expect(readFileSync(join(product.dir, 'state/secrets/panel-jwt.key'), 'utf8')).toBe(secret)
    expect(copiesNow()).toEqual(copies)
    await says(second, 'log in')
  })

  test('on a run directory in use says who runs', async () => {
    const first = product.start()
    await isReady(first)
    const second = product.start()
    expect(await second.exit).toBe(1)
    await says(second, `already runs on ${product.dir}/run (process ${first.process.pid})`)
    expect((await ask(product.ports.panel)).name).toBe('panel')
  })

  test('stops with the reason when a child refuses its configuration', async () => {
    writeFileSync(join(product.dir, 'web.refuse'), 'the certificate of a.test is broken')
    const running = product.start()
    expect(await running.exit).toBe(1)
    await says(running, 'the certificate of a.test is broken')
    await expect(ask(product.ports.panel)).rejects.toThrow()
  })

  test('lists every mistake of the configuration with its line', async () => {
    writeFileSync(product.configFile, '[cache]\nmemory_limit = "lots"\n[panel]\nlistne = 1\n')
    const running = product.start()
    expect(await running.exit).toBe(2)
    await says(running, 'berth.toml:2: cache.memory_limit is not a size')
    await says(running, 'berth.toml:4: panel.listne is not a known key')
  })
})

describe('a busy port', () => {
  test('of the sites is named with its holder, does not keep the panel away, and is taken when free', async () => {
    const blocker = createServer().listen(product.ports.http, '127.0.0.1')
    await once(blocker, 'listening')
    const running = product.start()
    await isReady(running)
    await says(running, `Port ${product.ports.http} `)
    expect(running.output()).toMatch(
      new RegExp(`Port ${product.ports.http} .* is held by \\S+.* \\(process ${process.pid}\\)`),
    )
    expect(running.output()).not.toContain('MainThread')
    expect((await ask(product.ports.panel)).name).toBe('panel')
    expect((await ask(product.ports.https)).name).toBe('web')
    blocker.close()
    await once(blocker, 'close')
    await askUntil(product.ports.http, ({ name }) => name === 'web')
    expect(running.output()).not.toMatch(/MainThread|starting it again/)
  })

  test('of the panel ends the start with the holder', async () => {
    const blocker = createServer().listen(product.ports.panel, '127.0.0.1')
    await once(blocker, 'listening')
    const running = product.start()
    expect(await running.exit).toBe(1)
    await says(running, `process ${process.pid}`)
    blocker.close()
    await once(blocker, 'close')
  })
})

describe('kill -9', () => {
  test.each(['panel', 'web', 'agent'] as const)('of the %s: another serves', async (name) => {
    const running = product.start()
    await isReady(running)
    const before = pidOf(name)
    process.kill(before, 'SIGKILL')
    const port = name === 'web' ? product.ports.http : product.ports.panel
    if (name === 'agent') await askUntil(port, () => pidOf('agent') !== before)
    else await askUntil(port, ({ pid }) => pid !== before)
  })

  test('of the supervisor ends the children, and the next start works', async () => {
    const running = product.start()
    await isReady(running)
    const before = ['agent', 'panel', 'web'].map(pidOf)
    running.process.kill('SIGKILL')
    await running.exit
    const next = product.start()
    await isReady(next)
    for (const pid of before) {
      const state = existsSync(`/proc/${pid}/stat`)
        ? execFileSync('ps', ['-o', 'stat=', '-p', String(pid)]).toString()
        : ''
      expect(state === '' || state.startsWith('Z')).toBe(true)
    }
    expect((await ask(product.ports.http)).name).toBe('web')
  })
})

test('SIGHUP reloads the web server, but not with a broken configuration', async () => {
  const running = product.start()
  await isReady(running)
  running.process.kill('SIGHUP')
  const log = join(product.dir, 'log/web.log')
  await until(() => readFileSync(log, 'utf8').includes('reloaded'))
  const good = readFileSync(product.configFile, 'utf8')
  writeFileSync(product.configFile, `${good}\n[cache]\nmemory_limit = 5\n`)
  running.process.kill('SIGHUP')
  await until(() => running.output().includes('cache.memory_limit'), running.output)
  expect(readFileSync(log, 'utf8').match(/reloaded/g)?.length).toBe(1)
  await says(running, 'Configuration reloaded.\n')
  writeFileSync(
    product.configFile,
    good.replace(/^listen_ssl = .*$/m, 'listen_ssl = []').replace('"log"', '"other-log"'),
  )
  running.process.kill('SIGHUP')
  await until(
    () => running.output().includes('started again: paths.log_dir, server.listen_ssl.'),
    running.output,
  )
  writeFileSync(product.configFile, good)
  rmSync(log)
})

test('SIGUSR1 goes on in new files after the logs were renamed', async () => {
  const running = product.start()
  await isReady(running)
  const logs = ['agent', 'panel', 'web'].map((name) => join(product.dir, 'log', `${name}.log`))
  for (const log of logs) renameSync(log, `${log}.old`)
  running.process.kill('SIGUSR1')
  const [, , web = ''] = logs
  // What the web server says then stands in the new file.
  await until(() => existsSync(web) && readFileSync(web, 'utf8').includes('logs reopened'))
  for (const log of logs) expect(existsSync(log)).toBe(true)
  expect(readFileSync(`${web}.old`, 'utf8')).not.toContain('logs reopened')
})
