import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ApplicationsService } from '#adapters/node/agent/applications/applications-port.ts'
import { findProcesses } from '#adapters/node/agent/host/process-facts.ts'
import { applicationSocket } from '#handlers/domain/applications/application-place.ts'
import type { ApplicationSpec, SecretChange } from '#handlers/ports/host/applications.ts'
import type { AccountGroups } from '#adapters/node/process/account-groups/account-groups.ts'
import { configureAccountGroups } from '#adapters/node/process/account-groups/current-groups.ts'
import { findGroups } from '#adapters/node/process/account-groups/find-groups.ts'
import { asUser } from '#adapters/node/process/as-user.ts'
import { runCommand } from '#adapters/node/process/run-command.ts'
import { openRegistry } from '#adapters/node/agent/registry/registry.ts'
import { hostSpec } from '#test/node/agent-php/host-fixture.ts'
import { applicationSpec, askSocket, createApplicationsFixture } from './applications-fixture.ts'
import type { ApplicationsFixture } from './applications-fixture.ts'

/** Answers with who and what it is; `/die` ends it, `/slow` takes a while, `/grow` takes memory. */
const SERVER = `import { createServer } from 'node:http'
const kept = []
createServer((ask, answer) => {
  if (ask.url === '/die') process.exit(7)
  if (ask.url === '/slow') return void setTimeout(() => answer.end('slow ' + process.env.MARK), 1500)
  if (ask.url === '/grow') kept.push(Buffer.alloc(150 * 2 ** 20, 1))
  if (ask.url === '/env') return void answer.end(JSON.stringify(process.env))
  answer.end(process.env.MARK + ' ' + process.pid + ' ' + process.getuid())
}).listen(process.env.PORT)
console.log('listening', process.env.MARK)
`

let on: ApplicationsFixture
let service: ApplicationsService
beforeAll(async () => {
  on = await createApplicationsFixture()
  service = on.createService()
  await service.start()
})
let groups: AccountGroups | null = null
afterAll(async () => {
  await on?.dispose()
  await groups?.remove(on.account.uid)
})

const own = (path: string): void => chownSync(path, on.account.uid, on.account.gid)
const put = async (
  name: string,
  change: Partial<ApplicationSpec> = {},
  secrets: SecretChange = {},
): Promise<{ username: string; name: string }> => {
  const { username } = on.account
  const spec = applicationSpec(username, name, { environment: { MARK: name }, ...change })
  await service.put({ spec, secrets })
  const file = join(on.account.home, spec.folder, 'server.mjs')
  writeFileSync(file, SERVER)
  own(file)
  return { username, name }
}
const stateOf = async (name: string) =>
  (await service.states({ username: on.account.username })).find((one) => one.name === name)
/** But for what works in its files. */
const tenants = () =>
  findProcesses(
    ({ uid, commandLine }) => uid === on.account.uid && !commandLine.includes('files-helper.ts'),
  )
const until = (name: string, state: string) =>
  expect.poll(async () => (await stateOf(name))?.state, { timeout: 30_000 }).toBe(state)

describe('an application', () => {
  it('runs as the account, in its folder, with its variables and nobody else’s', async () => {
    const it = await put('env', { environment: { MARK: 'env', OPEN: 'yes' } }, { KEY: 'hidden-42' })
    await service.deploy(it)
    const seen = JSON.parse((await on.answers('env', '/env')) ?? '') as Record<string, string>
    expect(seen).toMatchObject({ OPEN: 'yes', KEY: 'hidden-42', NODE_ENV: 'production' })
    expect(seen).toMatchObject({ HOME: on.account.home, USER: on.account.username })
    expect(Object.keys(seen).filter((key) => /^(?:BERTH|npm_|VITEST)/.test(key))).toEqual([])
    expect(seen['PORT']).toBe(seen['SOCKET'])
    expect((await on.answers('env'))?.split(' ')[2]).toBe(String(on.account.uid))
    // The secret is in no argument that others can read, and in no file but the agent's.
    for (const { commandLine } of findProcesses(() => true))
      expect(commandLine).not.toContain('hidden-42')
    const { stdout } = await runCommand('grep', ['-rlF', 'hidden-42', on.host.directory])
    const files = stdout.split('\n').filter((file) => file !== '')
    expect(files.length).toBeGreaterThan(0)
    expect(files.filter((file) => !file.includes('/state/agent/'))).toEqual([])
    await service.remove(it)
  })

  it('is started again when it ends, with a pause that grows, and tells of it', async () => {
    const it = await put('dies')
    await service.deploy(it)
    await on.answers('dies', '/die')
    await until('dies', 'waiting')
    expect(await stateOf('dies')).toMatchObject({ code: 7, problem: 'It ended with code 7.' })
    await until('dies', 'running')
    expect(await stateOf('dies')).toMatchObject({ restarts: 1, problem: null })
    expect(await on.answers('dies')).toContain('dies ')
    await service.remove(it)
  })

  it('stays ended where its owner wants that', async () => {
    const it = await put('once', { restart: 'never' })
    await service.deploy(it)
    await on.answers('once', '/die')
    await until('once', 'failed')
    expect(await stateOf('once')).toMatchObject({ code: 7, restarts: 0 })
    await service.remove(it)
  })

  it('is told to be ill that does not answer in time, or not well', async () => {
    const mute = await put('mute', { start: 'echo waiting; exec sleep 60', startLimitSecs: 1 })
    await expect(service.deploy(mute)).rejects.toMatchObject({
      status: 422,
      message: expect.stringMatching(/did not answer within 1 s[^]*waiting/),
    })
    const ill = await put('ill', { healthPath: '/die', startLimitSecs: 2 })
    await expect(service.deploy(ill)).rejects.toMatchObject({ status: 422 })
    for (const each of [mute, ill]) await service.remove(each)
    expect(tenants().filter(({ commandLine }) => /sleep 60/.test(commandLine))).toEqual([])
  })

  it('ends with all that it started, also what left its session', async () => {
    const it = await put('family', { start: 'setsid sleep 7777 & exec node server.mjs' })
    await service.deploy(it)
    const stray = () => tenants().filter(({ commandLine }) => commandLine === 'sleep 7777')
    expect(stray()).toHaveLength(1)
    await service.stop(it)
    expect(stray()).toEqual([])
    await service.remove(it)
    expect(tenants()).toEqual([])
  })

  it('finishes what it was asked when a newer one takes its place', async () => {
    const it = await put('slow')
    await service.deploy(it)
    const asked = on.answers('slow', '/slow')
    await put('slow', { environment: { MARK: 'newer' } })
    await service.deploy(it)
    expect(await on.answers('slow')).toContain('newer ')
    expect(await asked).toBe('slow slow')
    await service.remove(it)
  })

  it('is held to its part of the processor, with all that it starts', async () => {
    const found = await findGroups(on.host.stateDir)
    if (found.groups === null) throw new Error(found.reason)
    groups = found.groups
    configureAccountGroups(groups)
    const spinning = 'while :; do :; done & exec node server.mjs'
    const it = await put('busy', { start: spinning, cpuPercent: 25 })
    try {
      await service.deploy(it)
      const usedMs = () => groups?.use(on.account.uid)?.cpuMs ?? 0
      const before = { usedMs: usedMs(), atMs: performance.now() }
      await expect.poll(() => usedMs() - before.usedMs, { timeout: 20_000 }).toBeGreaterThan(400)
      expect((usedMs() - before.usedMs) / (performance.now() - before.atMs)).toBeLessThan(0.4)
      expect(await on.answers('busy')).toContain('busy ')
      await service.remove(it)
    } finally {
      configureAccountGroups(null)
    }
  })

  it('is started anew when it uses more memory than its owner lets it', async () => {
    const it = await put('grows', { memoryMb: 160 })
    await service.deploy(it)
    expect(await on.answers('grows', '/grow')).toContain('grows')
    await until('grows', 'waiting')
    expect((await stateOf('grows'))?.problem).toMatch(
      /^It used more memory than its limit of 160 MiB\.$/,
    )
    await until('grows', 'running')
    await service.remove(it)
  })

  it('keeps a log of two files that do not grow', async () => {
    const it = await put('talks', {
      start: `node -e "const l='x'.repeat(99);for(let i=0;i<40000;i++)console.log(l);console.log('the end')" ; exec node server.mjs`,
    })
    await service.deploy(it)
    const place = join(on.account.home, '.berth/apps/talks')
    for (const name of ['log', 'log.1']) {
      const { size, uid } = statSync(join(place, name))
      expect(size).toBeLessThanOrEqual(2 ** 20 + 65_536)
      expect(uid).toBe(on.account.uid)
    }
    const { text } = await service.log(it)
    expect(text.length).toBeLessThanOrEqual(65_536)
    expect(text).toContain('the end')
    await service.remove(it)
  })
})

describe('an application at a port', () => {
  const PYTHON = {
    runtime: { kind: 'python', version: null },
    start: 'exec python3 -m http.server --bind 127.0.0.1 "$PORT"',
    listen: 'port',
  } as const

  it('is reached by the same socket', async () => {
    const it = await put('python', PYTHON)
    await service.deploy(it)
    expect(await on.answers('python')).toContain('server.mjs')
    await service.remove(it)
  })

  it('gets no visitor where somebody else listens at its number', async () => {
    // The thief is root here, as good as any other user.
    const thief = createServer((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\nstolen'))
    thief.listen(0, '127.0.0.1')
    await once(thief, 'listening')
    const address = thief.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    const as = asUser({ ...on.account, groups: 'none' }, process.execPath, [
      '--input-type=module',
      '-e',
      `import { bridgePort } from '${new URL('../../../adapters/node/agent/applications/keeper/port-bridge.ts', import.meta.url).pathname}'
       await bridgePort('${on.account.home}/bridge.sock', ${port}); console.log('ready')`,
    ])
    const bridge = spawn(as.program, as.args, { stdio: ['ignore', 'pipe', 'inherit'] })
    try {
      await once(bridge.stdout, 'data')
      expect(await askSocket(`${on.account.home}/bridge.sock`)).toBeNull()
    } finally {
      bridge.kill('SIGKILL')
      thief.close()
    }
  })
})

describe('an application that sleeps', () => {
  it('is ended without visitors and started for the next one', async () => {
    const it = await put('naps', { sleepAfterSecs: 1 })
    const { username } = on.account
    on.host.registry.changeVhosts(
      [hostSpec(on.account, 'naps.test', { application: { name: 'naps', paths: null } })],
      [],
    )
    await service.deploy(it)
    await until('naps', 'asleep')
    expect(await on.answers('naps')).toBeNull()
    // What was changed and not deployed is nobody's to see.
    await put('naps', { sleepAfterSecs: 1, environment: { MARK: 'changed' } })
    // Visitors that come together wake one.
    await Promise.all(Array.from({ length: 5 }, () => service.ensure('naps.test')))
    expect(await on.answers('naps')).toContain('naps ')
    expect(await stateOf('naps')).toMatchObject({ state: 'running' })
    // Whoever is connected keeps it awake.
    await service.ensure('naps.test')
    expect(await on.answers('naps', '/slow')).toBe('slow naps')
    await service.stop(it)
    await expect(service.ensure('naps.test')).rejects.toMatchObject({ status: 503 })
    await expect(service.ensure('else.test')).rejects.toMatchObject({ status: 404 })
    on.host.registry.records.setSuspended(username, true, null)
    await expect(service.ensure('naps.test')).rejects.toMatchObject({ status: 409 })
    on.host.registry.records.setSuspended(username, false, null)
    await service.remove(it)
  })
})

describe('without its agent', () => {
  it('an application goes on, and the next agent takes it over', async () => {
    const it = await put('kept')
    await put('stale')
    await service.stopAll()
    const { runDir, stateDir } = on.host
    const registryFile = join(stateDir, 'agent', 'registry.sqlite')
    // One registry has one owner at a time.
    on.host.registry.close()
    const agent = spawn(
      process.execPath,
      [
        new URL('./lost-agent.ts', import.meta.url).pathname,
        JSON.stringify({ registryFile, runDir, stateDir, ...it }),
      ],
      { stdio: ['ignore', 'inherit', 'inherit'] },
    )
    expect(await once(agent, 'exit')).toEqual([null, 'SIGKILL'])
    Object.assign(on.host.registry, openRegistry(registryFile))
    const before = await on.answers('kept')
    expect(before).toContain('kept ')
    service = on.createService()
    // What was changed and not deployed does not count.
    await put('kept', { environment: { MARK: 'changed' } })
    await service.start()
    expect(await on.answers('kept')).toBe(before)
    expect(await stateOf('kept')).toMatchObject({ state: 'running' })
    // What it should be no more is ended by the one that comes then.
    await service.stop(it)
    expect(tenants()).toEqual([])
    expect(readdirSync(join(runDir, 'apps'))).toEqual([])
  })
})

describe('the account cannot', () => {
  it('reach what the agent asks, or lead visitors to somebody else’s socket', async () => {
    const it = await put('mine')
    await service.deploy(it)
    expect(statSync(join(on.host.runDir, 'apps')).mode & 0o777).toBe(0o700)
    const socket = applicationSocket(on.account.home, 'mine')
    expect(statSync(socket).uid).toBe(on.account.uid)
    const other = await on.host.createAccount()
    const as = asUser({ ...other, groups: 'none' }, process.execPath, [
      '-e',
      `require('net').connect(${JSON.stringify(socket)}).on('connect',()=>console.log('in')).on('error',e=>console.log(e.code))`,
    ])
    expect((await runCommand(as.program, as.args)).stdout.trim()).toBe('EACCES')
    await service.remove(it)
  })

  it('make its place anything but a place of its own', async () => {
    const apps = join(on.account.home, '.berth', 'apps')
    mkdirSync(apps, { recursive: true })
    const as = asUser({ ...on.account, groups: 'none' }, '/bin/ln', [
      '-s',
      '--',
      '/etc',
      `${apps}/linked`,
    ])
    expect((await runCommand(as.program, as.args)).code).toBe(0)
    const it = await put('linked')
    await expect(service.deploy(it)).rejects.toMatchObject({ status: 422 })
    await service.remove(it)
    expect(readFileSync('/etc/passwd', 'utf8')).toContain('root')
    expect(tenants()).toEqual([])
  })
})
