import { chownSync, existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { fetchSubmodules } from '#adapters/node/agent/applications/git/fetch/fetch-submodules.ts'
import { parseGitUrl } from '#handlers/domain/applications/git-url.ts'
import { applicationPlace } from '#handlers/domain/applications/application-place.ts'
import type { CronRunState } from '#handlers/ports/host/cron.ts'
import { mustRun } from '#adapters/node/process/run-command.ts'
import { endOf } from '#test/contract/cron/cron-port.ts'
import { applicationSpec } from './applications-fixture.ts'
import { createSourceFixture, gitIn, initRepository } from './source-fixture.ts'
import type { SourceFixture } from './source-fixture.ts'

let from: SourceFixture
/** Where repositories of others lie, beside each other. */
let hosted: string
let runs = 0
beforeAll(async () => {
  from = await createSourceFixture()
  hosted = join(from.on.host.directory, 'hosted')
})
afterAll(() => from?.dispose())
beforeEach(() => {
  from.allowLocal(true)
  rmSync(hosted, { recursive: true, force: true })
})

const commitAll = async (at: string): Promise<string> => {
  await gitIn(at, 'add', '-A')
  await gitIn(at, 'commit', '-q', '--allow-empty', '-m', 'As it is')
  return (await gitIn(at, 'rev-parse', 'HEAD')).stdout.trim()
}
/** A repository of one file; answers its commit. */
const repository = async (name: string, text = name): Promise<string> => {
  const at = join(hosted, name)
  await initRepository(at)
  writeFileSync(join(at, 'file'), text)
  return commitAll(at)
}
interface Named {
  name?: string
  path: string
  url: string
  more?: string
}
/** Has a repository name submodules, whatever git's own commands would say to them. */
const name = async (
  at: string,
  modules: readonly Named[],
  commit: string,
  gitmodules = '',
): Promise<string> => {
  const text = modules
    .map(
      ({ name: called, path, url, more = '' }) =>
        `[submodule ${JSON.stringify(called ?? path)}]\n\tpath = ${JSON.stringify(path)}\n\turl = ${JSON.stringify(url)}\n${more}`,
    )
    .join('')
  writeFileSync(join(at, '.gitmodules'), `${text}${gitmodules}`)
  await gitIn(at, 'add', '-A')
  // As one tree, since git's index takes no path with "..".
  for (const { path } of modules)
    await gitIn(at, 'update-index', '--add', '--cacheinfo', `160000,${commit},${path}`).catch(
      () => null,
    )
  await gitIn(at, 'commit', '-qm', 'With submodules')
  return (await gitIn(at, 'rev-parse', 'HEAD')).stdout.trim()
}
const fetch = async (url: string | null): Promise<CronRunState & { at: string }> => {
  runs += 1
  const release = `2026112800${String(runs).padStart(4, '0')}-abcdef`
  const runId = `modules-${runs}`
  const { username, home } = from.on.account
  await from.cron.start({
    ...{ runId, username, application: 'shop', timeLimitSecs: 60 },
    program: { kind: 'source', url, ref: null, release },
    ...{ phpVersion: null, timeZone: 'UTC' },
  })
  const state = await endOf(from.cron, runId)
  return { ...state, at: join(home, 'apps/shop/releases', release) }
}
/** What is hosted by that name is in the account's own repository. */
const pushed = async (application: string): Promise<void> => {
  const { home, uid, gid } = from.on.account
  const there = join(home, applicationPlace(application), 'repository.git')
  rmSync(there, { recursive: true, force: true })
  await mustRun('git', ['clone', '-q', '--bare', '--', join(hosted, application), there])
  await mustRun('chown', ['-R', `${uid}:${gid}`, '--', join(there, '..')])
}
const read = (...path: string[]): string => readFileSync(join(...path), 'utf8')

describe('submodules', () => {
  it('come along at the commit that is named, those of theirs too, from where they are', async () => {
    const deep = await repository('deep.git')
    const old = await repository('lib.git', 'the old one')
    const lib = join(hosted, 'lib.git')
    const withDeep = await name(lib, [{ path: 'deep', url: './../deep.git' }], deep)
    writeFileSync(join(lib, 'file'), 'newer than what is named')
    await commitAll(lib)
    await repository('main.git')
    const main = join(hosted, 'main.git')
    const absolute = from.urlOf(lib)
    await name(main, [{ name: 'a', path: 'vendor/lib', url: '../lib.git' }], withDeep)
    await gitIn(main, 'config', '-f', '.gitmodules', 'submodule.b.path', 'other')
    await gitIn(main, 'config', '-f', '.gitmodules', 'submodule.b.url', absolute)
    await gitIn(main, 'config', '-f', '.gitmodules', 'submodule.none.path', 'unwanted')
    await gitIn(main, 'config', '-f', '.gitmodules', 'submodule.none.url', 'file:///etc')
    await gitIn(main, 'config', '-f', '.gitmodules', 'submodule.none.update', 'none')
    for (const [path, commit] of [
      ['other', old],
      ['unwanted', old],
    ])
      await gitIn(main, 'update-index', '--add', '--cacheinfo', `160000,${commit},${path}`)
    await gitIn(main, 'add', '.gitmodules')
    await gitIn(main, 'commit', '-qm', 'Two more')
    const { code, output, at } = await fetch(from.urlOf(main))
    expect([code, output]).toEqual([0, expect.stringContaining('Submodule vendor/lib: ssh://')])
    expect(read(at, 'vendor/lib/file')).toBe('the old one')
    expect(read(at, 'vendor/lib/deep/file')).toBe('deep.git')
    expect(read(at, 'other/file')).toBe('the old one')
    expect(output).toContain('Submodule unwanted: left out')
    expect(existsSync(join(at, 'unwanted/file'))).toBe(false)
  })

  it('of a repository that one pushes to are others of the account', async () => {
    const { username } = from.on.account
    const commits: Record<string, string> = {}
    for (const own of ['lib', 'shop']) {
      const spec = applicationSpec(username, own, { repository: { branch: 'main' } })
      await from.service.put({ spec, secrets: {} })
      commits[own] = await repository(own)
    }
    await name(join(hosted, 'shop'), [{ path: 'lib', url: '../lib.git' }], commits['lib'] ?? '')
    await pushed('lib')
    await pushed('shop')
    // Nothing of it asks the network.
    from.allowLocal(false)
    const { code, at, output } = await fetch(null)
    expect([code, output]).toEqual([0, expect.stringContaining('Submodule lib: lib.git')])
    expect(read(at, 'lib/file')).toBe('lib')
  })

  const FAR = '../'.repeat(20)
  it.each([
    ['ext::sh -c touch% /tmp/modules-touched', 'is not the address'],
    ['file:///etc', 'is not the address'],
    [`${FAR}etc/x.git`, 'leads out of its host'],
    ['--upload-pack=touch /tmp/modules-touched', ''],
  ])('are not fetched from %s', async (url, why) => {
    const commit = await repository('main.git')
    await name(join(hosted, 'main.git'), [{ path: 'x', url }], commit)
    const { code, output, at } = await fetch(from.urlOf(join(hosted, 'main.git')))
    expect(code).not.toBe(0)
    expect(output).toContain(why)
    expect(existsSync(join(at, 'x/.git'))).toBe(false)
    expect(existsSync('/tmp/modules-touched')).toBe(false)
  })

  it.each(['localhost', '2130706433'])(
    'are not fetched from %s, which does not lie in the internet',
    async (host) => {
      const commit = await repository('shop')
      await name(join(hosted, 'shop'), [{ path: 'x', url: `https://${host}/a.git` }], commit)
      await pushed('shop')
      from.allowLocal(false)
      const { code, output } = await fetch(null)
      expect([code, output]).toEqual([
        1,
        expect.stringMatching(/"x" .*(does not lie in the internet|is not the address)/),
      ])
    },
  )

  it.each([
    [{ name: '../../../x', path: 'x' }, ''],
    [{ name: 'x', path: '.git/hooks' }, ''],
    [{ name: 'x', path: 'x', more: '\tupdate = "!touch /tmp/modules-touched"\n' }, ''],
  ])('are not fetched as %j', async (named, why) => {
    const commit = await repository('lib.git')
    await repository('main.git')
    const main = join(hosted, 'main.git')
    await name(main, [{ url: '../lib.git', ...named }], commit)
    const { code, output, at } = await fetch(from.urlOf(main))
    // Where nothing is wanted at such a path there is nothing to refuse.
    if (code === 0) expect(existsSync(join(at, named.path, 'file'))).toBe(false)
    else expect(output).toContain(why)
    expect(existsSync('/tmp/modules-touched')).toBe(false)
  })

  it('are not read through a link, nor put through one', async () => {
    const commit = await repository('lib.git')
    await repository('main.git')
    const main = join(hosted, 'main.git')
    await name(main, [{ path: 'x', url: '../lib.git' }], commit)
    const { home, uid, gid } = from.on.account
    writeFileSync(join(home, 'modules'), read(main, '.gitmodules'))
    chownSync(join(home, 'modules'), uid, gid)
    rmSync(join(main, '.gitmodules'))
    symlinkSync(join(home, 'modules'), join(main, '.gitmodules'))
    await gitIn(main, 'add', '.gitmodules')
    await gitIn(main, 'commit', '-qm', 'A link')
    const { at } = await fetch(from.urlOf(main))
    expect(existsSync(join(at, 'x/file'))).toBe(false)
  })

  it('are bounded in number and depth', async () => {
    const first = await repository('lib.git')
    await repository('main.git')
    const main = join(hosted, 'main.git')
    const several = ['a', 'b', 'c'].map((path) => ({ path, url: '../lib.git' }))
    await name(main, several, first)
    await mustRun('git', ['clone', '-q', '--', main, join(hosted, 'clone')])
    const said: string[] = []
    const fetching = {
      asking: { home: from.on.account.home, name: 'shop' },
      ...{ mayBeLocal: true, env: process.env, most: 2, say: (line: string) => said.push(line) },
    }
    const source = parseGitUrl(from.urlOf(main))
    if (typeof source === 'string') throw new Error(source)
    await expect(fetchSubmodules(join(hosted, 'clone'), source, fetching)).rejects.toThrow(
      'The submodule "c" is one more than 2.',
    )
    expect(said).toHaveLength(2)
    // Each in the one before it, by an earlier commit of itself.
    let inner = await repository('self.git')
    const self = join(hosted, 'self.git')
    for (let n = 0; n < 6; n += 1)
      inner = await name(self, [{ path: 'again', url: '../self.git' }], inner)
    const { code, output } = await fetch(from.urlOf(self))
    expect([code, output]).toEqual([
      1,
      expect.stringContaining('lies more than 5 repositories deep'),
    ])
  })
})
