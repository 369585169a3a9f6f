import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { mustRun } from '#adapters/node/process/run-command.ts'
import { addedText } from '#handlers/domain/text/added-text.ts'
import { instance, panel } from '#test/support/setups/shared-instance.ts'
import { temporaryDirectory } from '#test/support/setups/temporary-directory.ts'
import { Tenant } from '#test/support/tenant.ts'
import { Berth } from '../support/run-berth.ts'

const SERVER = `
console.log('I am ' + process.env.MODE + ' and ' + (process.env.API_KEY ? 'know' : 'do not know') + ' a key')
require('node:http').createServer((_, response) => response.end('shop')).listen(process.env.PORT)
`
const SECRET = 'c7d1-not-for-anybody'

let alice: Tenant
let berth: Berth

beforeAll(async () => {
  alice = await Tenant.create(panel)
  berth = new Berth('--config', instance.config.file)
})
afterAll(async () => {
  await berth?.run('app delete', [alice.username, 'shop', '--yes'])
  berth?.remove()
})

const show = () => berth.json<{ state: string; domains: unknown[] }>('app show', own())
const own = (...more: string[]): string[] => [alice.username, 'shop', ...more]

describe('app', () => {
  test('an application is made, deployed, passed visitors, and removed', async () => {
    const { node } = await berth.json<{ node: string[] }>('app runtimes')
    expect(node.length).toBeGreaterThan(0)
    const settings = ['--runtime', 'node', '--start', 'exec node server.js', '--env', 'MODE=new']
    const run = ['--listen', 'socket', '--start-limit', '30', '--restart', 'on-failure']
    const bounds = ['--sleep-after', '86400', '--instances', '2', '--cpu', '150']
    const version = ['--runtime-version', node[0] ?? '', ...bounds, ...run]
    const install = ['--install', 'node --check server.js && echo sound', '--health', '/']
    const said = await berth.ok('app create', own(...settings, ...version, ...install))
    expect(said).toContain('apps/shop')
    expect(await berth.ok('app list', [alice.username])).toMatch(/shop +node +apps\/shop +stopped/)
    await alice.put('apps/shop/server.js', SERVER)
    await berth.ok('app env-set', own('MODE=live', 'OTHER=x'))
    await berth.ok('app env-unset', own('OTHER'))
    await berth.ok('app secret-set', own('API_KEY'), { input: `${SECRET}\n` })
    expect(await berth.json('app show', own())).toMatchObject({
      environment: { MODE: 'live' },
      secrets: ['API_KEY'],
    })
    expect(await berth.ok('app deploy', own())).toContain('runs')
    expect(await berth.ok('app output', own())).toContain('sound')
    expect(await berth.ok('app deployments', own())).toMatch(/live/)
    await expect
      .poll(() => berth.ok('app log', own()), { timeout: 60_000 })
      .toContain('I am live and know a key')
    await berth.ok('app bind', own(alice.domain, '--path', '/shop'))
    expect(await show()).toMatchObject({
      ...{ state: 'running', instances: 2, running_instances: 2, cpu_percent: 150 },
      domains: [{ domain_name: alice.domain, paths: ['/shop'] }],
    })
    await berth.ok('app unbind', own(alice.domain))
    expect((await berth.run('app unbind', own(alice.domain))).code).toBe(1)
    await berth.ok('app stop', own())
    expect(await show()).toMatchObject({ state: 'stopped', domains: [] })
    await berth.ok('app start', own())
    expect(await show()).toMatchObject({ state: 'running' })
    for (const command of ['app show', 'app log', 'app deployments', 'app output'])
      expect(await berth.ok(command, own())).not.toContain(SECRET)
  })

  test('it runs with a version of Node that was added, which is not removed from under it', async () => {
    const archive = join(temporaryDirectory(), 'node.tgz')
    const modules = dirname(dirname(dirname(process.execPath)))
    const name = `node-linux-${process.arch}`
    // As npm has it, of which the program counts.
    const args = ['-C', modules, `--transform=s,^${name},package,`, `${name}/bin/node`]
    await mustRun('tar', ['--use-compress-program=gzip -1', '-cf', archive, ...args])
    const nobody = await berth.run('node add', ['22', '--registry', 'http://127.0.0.1:1'])
    expect([nobody.code, nobody.stderr]).toEqual([1, expect.stringContaining('does not answer')])
    expect((await berth.run('node add', ['22', '--registry', 'ftp://x.example'])).code).toBe(2)
    const { version } = await berth.json<{ version: string }>('node add', [archive])
    expect(`v${version}`).toBe(process.version)
    expect(await berth.ok('node list')).toContain(version)
    await berth.ok('app update', own('--runtime-version', version, '--health', 'none'))
    await alice.put('apps/shop/server.js', `console.log(process.execPath)${SERVER}`)
    await berth.ok('app deploy', own())
    await expect
      .poll(() => berth.ok('app log', own()), { timeout: 60_000 })
      .toContain(`/runtimes/node-${version}/bin/node`)
    const { code, stderr } = await berth.run('node remove', [version])
    expect([code, stderr]).toEqual([1, expect.stringContaining(`${alice.username}/shop`)])
    await berth.ok('node remove', [version, '--force'])
    expect(await berth.ok('node list')).toContain('None')
    await alice.put('apps/shop/server.js', SERVER)
  })

  test('a failing deployment ends with what it wrote, and what ran goes on', async () => {
    await berth.ok('app update', own('--build', 'echo no such module; exit 7'))
    const { code, stderr } = await berth.run('app deploy', own())
    expect([code, stderr]).toEqual([1, expect.stringContaining('exit code 7')])
    expect(stderr).toContain('no such module')
    expect(await show()).toMatchObject({ state: 'running' })
    await berth.ok('app update', own('--build', 'sleep 600', '--memory', 'none'))
    const slow = berth.runAlone('app deploy', own())
    const underWay = () => berth.json<{ state: string }>('app output', own())
    await expect.poll(underWay, { timeout: 60_000 }).toMatchObject({ state: 'building' })
    await berth.ok('app cancel', own())
    expect((await slow).stderr).toContain('cancelled')
    await berth.ok('app update', own('--build', 'none', '--runtime-version', 'newest'))
    await berth.ok('app secret-unset', own('API_KEY'))
    expect(await berth.json('app show', own())).toMatchObject({ secrets: [], pending: true })
    expect((await berth.run('app update', own())).code).toBe(2)
    expect((await berth.run('app env-set', own('MODE'))).code).toBe(2)
    expect((await berth.run('app show', [alice.username, 'nothing'])).stderr).toContain(
      'berth app list',
    )
  })

  test('one from a repository has a key, and releases to go back to', async () => {
    const settings = ['--git', 'ssh://git@127.0.0.1:9/shop.git', '--branch', 'main']
    await berth.ok('app update', own(...settings))
    const key = await berth.ok('app key', own())
    expect(key).toMatch(/^ssh-ed25519 \S+ \S+-shop\n$/)
    expect(await berth.ok('app key', own())).toBe(key)
    const hook = await berth.ok('app hook', own())
    expect(hook).toMatch(/\/api\/hooks\/applications\/[0-9a-f]{32}\nSecret: \S{43}\n/)
    expect(await berth.ok('app hook', own())).not.toBe(hook)
    await berth.ok('app hook-remove', own())
    expect(await berth.json('app show', own())).toMatchObject({ hook_id: null })
    // Nothing outside of the internet is asked, unless the administrator says so.
    const refused = await berth.run('app deploy', own())
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining('does not lie in the internet'),
    ])
    expect(await show()).toMatchObject({ state: 'running', release: null })
    const [last] = await berth.json<{ id: string }[]>('app deployments', own())
    expect((await berth.run('app rollback', own(last?.id ?? ''))).stderr).toContain('releases')
    await berth.ok('app update', own('--git', 'none', '--branch', 'none'))
  })

  test('one has a repository to push to', async () => {
    await berth.ok('app update', own('--git', 'push', '--branch', 'main'))
    expect(await berth.json('app show', own())).toMatchObject({
      ...{ source_push: true, source_url: null, source_branch: 'main' },
    })
    // Where there is no SFTP it says why.
    expect(await berth.ok('app repository', own())).toMatch(/shop\.git|sftp/i)
    const made = alice.path('.berth/apps/shop/repository.git/HEAD')
    expect((await alice.run('cat', ['--', made])).stdout).toBe('ref: refs/heads/main\n')
    await berth.ok('app update', own('--git', 'none', '--branch', 'none'))
  })

  test('one without a start line is a site', async () => {
    const site = [
      '--start',
      'none',
      '--public',
      'public',
      '--shared',
      'storage/',
      '--shared',
      '.env',
    ]
    // Nothing would be served without a repository.
    expect((await berth.run('app update', own(...site))).code).toBe(1)
    const git = ['--git', 'ssh://git@127.0.0.1:9/shop.git']
    await berth.ok('app update', own(...site, ...git))
    expect(await berth.json('app show', own())).toMatchObject({
      ...{ start_command: null, public_folder: 'public' },
      shared_paths: ['storage/', '.env'],
    })
    const back = ['--start', 'exec node server.js', '--public', 'none', '--shared', 'none']
    await berth.ok('app update', own(...back, '--git', 'none'))
    expect(await berth.json('app show', own())).toMatchObject({
      ...{ start_command: 'exec node server.js', public_folder: '', shared_paths: [] },
    })
  })

  test('its files stay when it is removed', async () => {
    expect(await berth.ok('app delete', own('--yes'))).toContain('still there')
    expect((await alice.run('cat', ['--', alice.path('apps/shop/server.js')])).code).toBe(0)
    expect(await berth.ok('app list', [alice.username])).toContain('There are no applications')
  })

  test('of a log that is followed only what was added is written', () => {
    expect(addedText('', 'a\n')).toBe('a\n')
    expect(addedText('a\n', 'a\nb\n')).toBe('b\n')
    const long = `${'x'.repeat(600)}end\n`
    expect(addedText(`first\n${long}`, `${long}more\n`)).toBe('more\n')
    expect(addedText('gone', 'new\n')).toBe('new\n')
  })
})
