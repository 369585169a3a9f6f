import { execFileSync, spawn } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isSameProcessAlive, readIdentityFile } from '#adapters/node/process/process-identity.ts'
import {
  createInstanceDirectory,
  type InstanceDirectory,
} from '#test/support/instance-directory.ts'
import { removeTraces } from '#test/support/instance-traces.ts'
import { requestSite } from '#test/support/site-request.ts'
import { Berth } from './support/run-berth.ts'

interface Status {
  state: string
  pid: number | null
  manager: string
  enabled: boolean
  processes: { name: string }[]
}

const SITE = (root: string): string => `
[[virtualhost]]
domain = "static.test"
root = ${JSON.stringify(root)}
[virtualhost.php]
enable = false
[virtualhost.cache]
enable = false
`

describe('without systemd, by the pid file', () => {
  let place: InstanceDirectory
  let berth: Berth
  let site: string
  const ask = (path = '/') => requestSite(place.ports, 'static.test', path)
  const log = (name: string): string => join(place.dir, 'log', name)

  beforeAll(async () => {
    const root = mkdtempSync(join(tmpdir(), 'bs-site-'))
    site = root
    chmodSync(root, 0o755)
    writeFileSync(join(root, 'index.html'), '<title>static</title>')
    place = await createInstanceDirectory({
      settings: { server: 'workers = 2', databases: 'mariadb = "off"' },
      append: SITE(root),
    })
    berth = new Berth('--config', place.configFile)
  })
  afterAll(async () => {
    if (!place) return
    await berth.run('service stop')
    berth.remove()
    await removeTraces(place.dir)
    rmSync(site, { recursive: true, force: true })
  })
  const status = async (): Promise<Status & { code: number | null }> => {
    const { code, stdout } = await berth.run('service status', ['--json'])
    return { ...(JSON.parse(stdout) as Status), code }
  }

  test('nothing runs: status says so, stop is done already, reload says what to do', async () => {
    expect(await status()).toMatchObject({ state: 'stopped', pid: null, code: 3, enabled: false })
    expect(await berth.ok('service stop')).toContain('did not run')
    const { code, stderr } = await berth.run('service reload')
    expect([code, stderr]).toEqual([1, 'Berth does not run. Start it with: berth service start\n'])
  })

  test('a start that cannot succeed says why, and leaves nothing behind', async () => {
    const text = readFileSync(place.configFile, 'utf8')
    const holder = spawn(process.execPath, [
      '-e',
      `require('net').createServer().listen(${place.ports.panel}, '127.0.0.1', () => console.log('up'))`,
    ])
    try {
      await new Promise((done) => holder.stdout.once('data', done))
      const { code, stderr } = await berth.run('service start')
      expect(code).toBe(1)
      expect(stderr).toContain('Berth ended while it started:')
      expect(stderr).toContain(String(place.ports.panel))
      expect(await status()).toMatchObject({ state: 'stopped', code: 3 })
    } finally {
      holder.kill('SIGKILL')
      await new Promise((done) => holder.once('close', done))
    }
    expect(readFileSync(place.configFile, 'utf8')).toBe(text)
  })

  test('a port of the sites that another program holds is named, and fails', async () => {
    const holder = spawn(process.execPath, [
      '-e',
      `require('net').createServer().listen(${place.ports.https}, '127.0.0.1', () => console.log('up'))`,
    ])
    try {
      await new Promise((done) => holder.stdout.once('data', done))
      const held = `Port ${place.ports.https} (127.0.0.1:${place.ports.https}) is held by node (process ${holder.pid})`
      const started = await berth.run('service start')
      expect([started.code, started.stderr]).toEqual([1, expect.stringContaining(held)])
      const shown = await berth.run('service status')
      expect([shown.code, shown.stdout]).toEqual([1, expect.stringContaining(held)])
      expect(await status()).toMatchObject({ state: 'running', ports: [expect.any(String)] })
      // Whoever waits for it to run, as systemd does, must not end it for that.
      expect((await berth.run('service status', ['--wait'])).code).toBe(0)
    } finally {
      holder.kill('SIGKILL')
      await new Promise((done) => holder.once('close', done))
    }
    await berth.ok('service reload')
    await expect.poll(async () => (await status()).code, { timeout: 20_000 }).toBe(0)
    expect(await status()).toMatchObject({ ports: [] })
    await berth.ok('service stop')
  })

  test('start serves when it returns, and only once', async () => {
    expect(await berth.json('service start')).toMatchObject({ started: true, ports: [] })
    expect((await ask()).text).toContain('static')
    const now = await status()
    expect(now).toMatchObject({ state: 'running', manager: 'pid-file', code: 0 })
    expect(now.processes.map(({ name }) => name)).toEqual(['agent', 'panel', 'web'])
    expect(await berth.json('service start')).toEqual({
      started: false,
      pid: now.pid,
      ports: [],
    })
    expect(await berth.ok('service status', ['--wait'])).toContain('running, process')
  })

  test('reloads under load lose no request and change what is served', async () => {
    const pid = (await status()).pid
    let loading = true
    const seen = { good: 0, bad: [] as unknown[] }
    const load = async (): Promise<void> => {
      while (loading)
        try {
          const { status: code } = await ask()
          if (code === 200) seen.good++
          else seen.bad.push(code)
        } catch (error) {
          seen.bad.push(error)
        }
    }
    const clients = [load(), load(), load(), load()]
    const before = readFileSync(place.configFile, 'utf8')
    for (let round = 0; round < 3; round++) {
      writeFileSync(
        place.configFile,
        before.replace(
          'domain = "static.test"',
          `domain = "static.test"\nheaders = { X-Round = "${round}" }`,
        ),
      )
      expect(await berth.json('service reload')).toEqual({
        reloaded: true,
        virtual_hosts: 1,
        restart_needed: [],
      })
      expect((await ask()).headers['x-round']).toBe(String(round))
    }
    loading = false
    await Promise.all(clients)
    expect(seen.bad).toEqual([])
    expect(seen.good).toBeGreaterThan(50)
    expect((await status()).pid).toBe(pid)
  })

  test('a reload takes up backup targets and names what only a restart changes', async () => {
    const before = readFileSync(place.configFile, 'utf8')
    const secret = join(place.dir, 'key')
    writeFileSync(secret, 'x')
    const target = `
[[remote_target]]
name = "away"
type = "s3"
endpoint = "https://s3.example.com"
bucket = "backups"
access_key_id = "k"
secret_key_file = ${JSON.stringify(secret)}
[backups]
schedule = 4
`
    try {
      writeFileSync(place.configFile, before + target)
      const { code, stdout } = await berth.run('service reload')
      expect([code, stdout]).toEqual([0, expect.stringContaining('restart: backups.schedule.')])
      await expect.poll(() => berth.ok('targets list')).toContain('away')
      // The panel's own way does the same.
      writeFileSync(place.configFile, `${before}${target.replace('"away"', '"farther"')}`)
      expect(await berth.json('web reload')).toEqual({
        reloaded: true,
        restart_needed: ['backups.schedule'],
      })
      expect(await berth.ok('targets list')).toContain('farther')
    } finally {
      writeFileSync(place.configFile, before)
      await berth.ok('service reload')
    }
  })

  test('a configuration with mistakes is refused whole', async () => {
    const before = readFileSync(place.configFile, 'utf8')
    try {
      writeFileSync(place.configFile, `${before}\n[nonsense]\n`)
      const { code, stderr } = await berth.run('service reload')
      expect(code).toBe(2)
      expect(stderr).toContain('nonsense')
      expect((await ask()).status).toBe(200)
    } finally {
      writeFileSync(place.configFile, before)
    }
  })

  test('logrotate moves the logs, and the processes go on in new ones', async () => {
    const image = join(place.dir, 'image')
    const { written } = await berth.json<{ written: string[] }>('service install', [
      '--destdir',
      image,
    ])
    expect(written.every((file) => existsSync(file))).toBe(true)
    const snippet = written.find((file) => file.includes('logrotate')) ?? ''
    await ask('/before')
    await expect.poll(() => readFileSync(log('web/access.log'), 'utf8')).toContain('/before')
    execFileSync('/usr/sbin/logrotate', ['--force', '--state', join(place.dir, 'lr'), snippet])
    const names = readdirSync(log('web'))
    expect(names).toEqual(expect.arrayContaining(['access.log.1']))
    expect(readdirSync(log('.'))).toEqual(
      expect.arrayContaining(['agent.log.1', 'supervisor.log.1']),
    )
    await expect.poll(() => existsSync(log('web/access.log'))).toBe(true)
    await ask('/after')
    await expect.poll(() => readFileSync(log('web/access.log'), 'utf8')).toContain('/after')
    expect(readFileSync(log('web/access.log.1'), 'utf8')).not.toContain('/after')
    expect(await berth.json('service uninstall', ['--destdir', image])).toEqual({
      removed: written,
    })
    expect(written.some((file) => existsSync(file))).toBe(false)
  })

  test('logs: the last lines, and what is added, through a rotation', async () => {
    await ask('/one')
    await expect.poll(() => berth.ok('service logs', ['access', '--lines', '1'])).toContain('/one')
    const child = berth.start('service logs', [...['access', '--lines', '0', '--follow', '--json']])
    const code = new Promise((done) => child.once('close', done))
    let text = ''
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
    try {
      await expect.poll(async () => (await ask('/two'), text)).toContain('/two')
      rmSync(log('web/access.log'))
      await berth.ok('service reopen-logs')
      await expect.poll(async () => (await ask('/three'), text)).toContain('/three')
      for (const line of text.trim().split('\n'))
        expect(JSON.parse(line)).toMatchObject({ log: 'access' })
    } finally {
      child.kill('SIGTERM')
    }
    expect(await code).toBe(0)
    const wrong = await berth.run('service logs', ['shadow'])
    expect([wrong.code, wrong.stdout]).toEqual([2, ''])
    expect((await berth.run('service logs', ['--lines=-1'])).code).toBe(2)
  })

  test('logs of our own processes are read as sentences', async () => {
    const line = '{"level":30,"time":1767225600000,"pid":7,"name":"hooks","msg":"ran","event":"a"}'
    writeFileSync(log('hooks.log'), `${line}\n`)
    expect(await berth.ok('service logs', ['hooks'])).toBe(
      '2026-01-01 00:00:00  info   ran  event=a\n',
    )
    const { stdout } = await berth.run('service logs', ['hooks', '--json'])
    expect(JSON.parse(stdout)).toEqual({ log: 'hooks', line })
  })

  test('what a visitor wrote into a log does not reach the terminal as it is', async () => {
    mkdirSync(log('.'), { recursive: true })
    writeFileSync(log('hooks.log'), 'evil \u001b[2J \u202e line\n')
    expect(await berth.ok('service logs', ['hooks'])).toBe('evil \\u{1b}[2J \\u{202e} line\n')
  })

  test('restart is another process; stop ends every one', async () => {
    const before = await status()
    await berth.ok('service restart')
    const after = await status()
    expect(after.state).toBe('running')
    expect(after.pid).not.toBe(before.pid)
    const files = ['supervisor', 'agent', 'panel', 'web'].map((name) =>
      join(place.dir, 'run', `${name}.pid`),
    )
    const running = files.map(readIdentityFile)
    expect(await berth.ok('service stop')).toBe('Stopped.\n')
    for (const one of running) expect(one === null || isSameProcessAlive(one)).toBe(false)
    expect(await status()).toMatchObject({ state: 'stopped', code: 3 })
  })

  test('what a killed one left does not keep it from starting', async () => {
    await berth.ok('service start')
    const { pid } = await status()
    process.kill(pid ?? 0, 'SIGKILL')
    await expect.poll(async () => (await status()).state).toBe('stopped')
    await berth.ok('service start')
    expect((await status()).state).toBe('running')
  })
})

test('install --print shows both files; enable needs cron or systemd', async () => {
  const place = await createInstanceDirectory({})
  const berth = new Berth('--config', place.configFile)
  try {
    const { unit, logrotate } = await berth.json<Record<string, string>>('service install', [
      '--print',
    ])
    expect(unit).toContain(`--config ${place.configFile}\n`)
    expect(logrotate).toContain('reopen-logs')
    // Disabling what was never enabled is done already.
    expect(await berth.json('service disable')).toEqual({ enabled: false })
    // A line of cron goes to a shell: what is no plain path is refused, and nothing is written.
    const odd = join(place.dir, 'a b.toml')
    copyFileSync(place.configFile, odd)
    const refused = await new Berth('--config', odd).run('service enable')
    expect([refused.code, refused.stdout]).toEqual([1, ''])
  } finally {
    berth.remove()
    await removeTraces(place.dir)
  }
})
