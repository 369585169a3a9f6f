import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ApplicationsService } from '#adapters/node/agent/applications/applications-port.ts'
import { fetchSource } from '#adapters/node/agent/applications/git/fetch-source.ts'
import { createCronPort } from '#adapters/node/agent/cron/cron-port.ts'
import { mustRun, runCommand } from '#adapters/node/process/run-command.ts'
import type { CronProgram, CronRunState } from '#handlers/ports/host/cron.ts'
import { endOf } from '#test/contract/cron/cron-port.ts'
import { freePorts } from '#test/support/free-ports.ts'
import { applicationSpec, createApplicationsFixture } from './applications-fixture.ts'
import type { ApplicationsFixture } from './applications-fixture.ts'

/** A real repository behind a real sshd, with one key that may read it. */
let on: ApplicationsFixture
let service: ApplicationsService
let cron: ReturnType<typeof createCronPort>
let sshd: ChildProcess
let url: string
let work: string
let runs = 0
let made = 0

const release = (): string => `2026112700${String((made += 1)).padStart(4, '0')}-abcdef`
const git = (...args: string[]) =>
  mustRun('git', ['-C', work, '-c', 'user.name=T', '-c', 'user.email=t@example.com', ...args])
const commit = async (text: string, subject: string): Promise<void> => {
  writeFileSync(join(work, 'server.mjs'), text)
  await git('add', '-A')
  await git('commit', '-qm', subject)
}
const serverOf = (mark: string): string =>
  `import { createServer } from 'node:http'\ncreateServer((q, s) => s.end('${mark}')).listen(process.env.PORT)\n`

beforeAll(async () => {
  on = await createApplicationsFixture()
  service = on.createService()
  await service.start()
  const { directory, registry, runDir, log } = on.host
  cron = createCronPort({
    ...{ registry, runDir, log },
    asRoot: true,
    phpVersions: async () => [],
    surroundings: (...of) => service.surroundings(...of),
    source: (program, asking) => fetchSource(program, asking, true),
    waitMs: 500,
  })
  work = join(directory, 'work')
  mkdirSync(work)
  await mustRun('git', ['init', '-q', '-b', 'main', '--', work])
  await commit(serverOf('first'), 'First version')
  const [port = 0] = await freePorts(1)
  const hostKey = join(directory, 'host-key')
  await mustRun('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', hostKey])
  await service.put({ spec: applicationSpec(on.account.username, 'shop'), secrets: {} })
  const { publicKey } = await service.deployKey({ username: on.account.username, name: 'shop' })
  writeFileSync(join(directory, 'allowed'), `restrict ${publicKey}\n`, { mode: 0o644 })
  mkdirSync('/run/sshd', { recursive: true })
  sshd = spawn(
    '/usr/sbin/sshd',
    [
      ...['-D', '-e', '-f', '/dev/null', '-o', `HostKey=${hostKey}`, '-p', String(port)],
      ...['-o', 'ListenAddress=127.0.0.1', '-o', `AuthorizedKeysFile=${directory}/allowed`],
      ...['-o', 'StrictModes=no', '-o', 'PermitRootLogin=yes', '-o', 'UsePAM=no'],
      ...['-o', 'PasswordAuthentication=no', '-o', `PidFile=${directory}/sshd.pid`],
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  )
  await once(sshd.stderr!, 'data')
  url = `ssh://root@localhost:${port}${work}`
})
afterAll(async () => {
  sshd?.kill('SIGKILL')
  await cron?.stopAll()
  await on?.dispose()
})

const fetch = async (
  change: Partial<Extract<CronProgram, { kind: 'source' }>> = {},
): Promise<CronRunState & { release: string }> => {
  const name = release()
  const runId = `source-${(runs += 1)}`
  await cron.start({
    runId,
    username: on.account.username,
    program: { kind: 'source', url, ref: null, release: name, ...change },
    ...{ phpVersion: null, timeZone: 'UTC', timeLimitSecs: 60, application: 'shop' },
  })
  return { ...(await endOf(cron, runId)), release: name }
}
const shop = () => ({ username: on.account.username, name: 'shop' })
const folder = () => join(on.account.home, 'apps/shop')

describe('a repository', () => {
  it('is fetched with the deploy key into a release, and runs from there', async () => {
    const first = await fetch()
    expect(first).toMatchObject({ code: 0 })
    expect(await service.commit({ ...shop(), release: first.release })).toMatchObject({
      id: expect.stringMatching(/^[0-9a-f]{40}$/),
      subject: 'First version',
    })
    const spec = applicationSpec(on.account.username, 'shop')
    await service.put({ spec: { ...spec, release: first.release }, secrets: {} })
    await service.deploy(shop())
    expect(await on.answers('shop')).toBe('first')
    await service.switch({ ...shop(), release: first.release, serves: '', keep: [] })

    await commit(serverOf('second'), 'Second version')
    const second = await fetch({ ref: 'main' })
    expect(second.code).toBe(0)
    await service.put({ spec: { ...spec, release: second.release }, secrets: {} })
    await service.deploy(shop())
    await service.switch({ ...shop(), release: second.release, serves: '', keep: [first.release] })
    expect(await on.answers('shop')).toBe('second')
    expect(readlinkSync(join(folder(), 'current'))).toBe(`releases/${second.release}`)
    // Back, from what is still there.
    await service.put({ spec: { ...spec, release: first.release }, secrets: {} })
    await service.deploy(shop())
    expect(await on.answers('shop')).toBe('first')
    await service.switch({ ...shop(), release: first.release, serves: '', keep: [] })
    expect(readdirSync(join(folder(), 'releases'))).toEqual([first.release])
  })

  it('that names submodules is known as such', async () => {
    const { release: before } = await fetch()
    expect(await service.commit({ ...shop(), release: before })).toMatchObject({
      submodules: false,
    })
    writeFileSync(join(work, '.gitmodules'), '[submodule "x"]\n  path = x\n  url = ../x.git\n')
    await commit(serverOf('with'), 'Names a submodule')
    const { release: name, code } = await fetch()
    expect(code).toBe(0)
    expect(await service.commit({ ...shop(), release: name })).toMatchObject({ submodules: true })
    await git('rm', '-qf', '--', '.gitmodules')
    await git('commit', '-qm', 'Names none')
  })

  it('is built in its release, with its variables', async () => {
    const { release: name } = await fetch()
    await cron.start({
      runId: 'build',
      username: on.account.username,
      program: { kind: 'shell', line: 'pwd && node -p process.env.NODE_ENV' },
      ...{ phpVersion: null, timeZone: 'UTC', timeLimitSecs: 60, application: 'shop' },
      release: name,
    })
    expect(await endOf(cron, 'build')).toMatchObject({
      code: 0,
      output: `${folder()}/releases/${name}\nproduction\n`,
    })
  })

  it('that is not there, or a branch that is not, is told', async () => {
    expect(await fetch({ ref: 'nowhere' })).toMatchObject({
      code: 128,
      output: expect.stringContaining('nowhere'),
    })
    expect((await fetch({ url: `${url}-not` })).code).not.toBe(0)
  })
})

describe('nobody gets', () => {
  const asking = () => ({ home: on.account.home, name: 'shop' })
  const program = (change: object) =>
    ({ kind: 'source', url, ref: null, release: release(), ...change }) as Extract<
      CronProgram,
      { kind: 'source' }
    >

  it.each([
    'file:///etc',
    '/etc',
    'ext::sh -c touch% /tmp/x',
    'https://user:word@example.com/a.git',
    'ssh://-oProxyCommand=touch/a.git',
    'git@-oProxyCommand=x:a.git',
    'https://example.com/a.git?x=1',
    'http://example.com/a.git',
    'git://example.com/a.git',
    '--upload-pack=touch',
    'ssh://git@example.com/--upload-pack;x',
  ])('git to take %s', async (wrong) => {
    await expect(fetchSource(program({ url: wrong }), asking(), true)).rejects.toMatchObject({
      status: 400,
    })
  })
  it.each(['--upload-pack=x', '-b', 'a..b', 'a b', '/a', 'a.lock', ''])(
    'git to take the branch %s',
    async (ref) => {
      await expect(fetchSource(program({ ref }), asking(), true)).rejects.toMatchObject({
        status: 400,
      })
    },
  )
  it.each([
    '127.0.0.1',
    'localhost',
    '10.0.0.1',
    '169.254.169.254',
    '168.63.129.16',
    '[::1]',
    '[::ffff:10.0.0.1]',
    '2130706433',
    '0x7f.1',
  ])('to %s, which does not lie in the internet', async (host) => {
    for (const wrong of [`https://${host}/a.git`, `ssh://git@${host}/a.git`])
      await expect(fetchSource(program({ url: wrong }), asking(), false)).rejects.toMatchObject({
        status: 400,
      })
  })

  it('elsewhere by settings of his own', async () => {
    const { home, uid, gid } = on.account
    // What git and ssh read of him: an address in place of another, a command to connect with.
    writeFileSync(join(home, '.gitconfig'), `[url "file:///etc/"]\n  insteadOf = ssh://\n`)
    mkdirSync(join(home, '.ssh'), { recursive: true })
    appendFileSync(join(home, '.ssh/config'), `Host *\n  ProxyCommand touch ${home}/touched\n`)
    for (const file of ['.gitconfig', '.ssh', '.ssh/config']) chownSync(join(home, file), uid, gid)
    expect((await fetch()).code).toBe(0)
    expect(existsSync(join(home, 'touched'))).toBe(false)
  })

  it('hooks or links of a repository to work outside of the account', async () => {
    const outside = join(on.host.directory, 'outside')
    mkdirSync(outside)
    await runCommand('ln', ['-s', '--', outside, join(work, 'link')])
    await commit(serverOf('linked'), 'With a link')
    const { release: name, code } = await fetch()
    expect(code).toBe(0)
    await service.switch({ ...shop(), release: name, serves: '', keep: [] })
    expect(readdirSync(outside)).toEqual([])
    expect(readFileSync(join(folder(), 'current/server.mjs'), 'utf8')).toContain('linked')
  })
})
