import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ApplicationsService } from '#adapters/node/agent/applications/applications-port.ts'
import { fetchSource } from '#adapters/node/agent/applications/git/fetch-source.ts'
import { runCommand } from '#adapters/node/process/run-command.ts'
import type { CronPort, CronProgram, CronRunState } from '#handlers/ports/host/cron.ts'
import { endOf } from '#test/contract/cron/cron-port.ts'
import { applicationSpec } from './applications-fixture.ts'
import type { ApplicationsFixture } from './applications-fixture.ts'
import { createSourceFixture, gitIn, initRepository } from './source-fixture.ts'
import type { SourceFixture } from './source-fixture.ts'

let from: SourceFixture
let on: ApplicationsFixture
let service: ApplicationsService
let cron: CronPort
let url: string
let work: string
let runs = 0
let made = 0

const release = (): string => `2026112700${String((made += 1)).padStart(4, '0')}-abcdef`
const git = (...args: string[]) => gitIn(work, ...args)
const commit = async (text: string, subject: string): Promise<void> => {
  writeFileSync(join(work, 'server.mjs'), text)
  await git('add', '-A')
  await git('commit', '-qm', subject)
}
const serverOf = (mark: string): string =>
  `import { createServer } from 'node:http'\ncreateServer((q, s) => s.end('${mark}')).listen(process.env.PORT)\n`

beforeAll(async () => {
  from = await createSourceFixture()
  ;({ on, service, cron } = from)
  work = join(on.host.directory, 'work')
  await initRepository(work)
  await commit(serverOf('first'), 'First version')
  url = from.urlOf(work)
})
afterAll(() => from?.dispose())

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
