import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { smallCore, zipOf } from '#test/support/small-core.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Tenant } from '#test/support/tenant.ts'
import { instance, panel } from '#test/support/setups/shared-instance.ts'
import { Berth } from './support/run-berth.ts'

let alice: Tenant
let berth: Berth
let dir: string

beforeAll(async () => {
  alice = await Tenant.create(panel)
  berth = new Berth('--config', instance.config.file)
  dir = mkdtempSync(join(tmpdir(), 'bcli-'))
})
afterAll(async () => {
  berth?.remove()
  rmSync(dir, { recursive: true, force: true })
})

describe('files', () => {
  const big = Buffer.alloc(3_000_000, 'berth ')
  test('put and get carry any bytes, over standard input and output too', async () => {
    await berth.ok('files mkdir', [alice.username, 'public_html/a/b'])
    await berth.ok('files put', [alice.username, '-', 'public_html/a/b/big.bin'], { input: big })
    await berth.ok('files get', [alice.username, 'public_html/a/b/big.bin', dir])
    expect(readFileSync(join(dir, 'big.bin')).equals(big)).toBe(true)
    const again = await berth.run('files get', [alice.username, 'public_html/a/b/big.bin', dir])
    expect([again.code, again.stdout]).toEqual([1, ''])
    expect(again.stderr).toContain('exists already')
    const saved = await berth.json('files get', [
      alice.username,
      'public_html/a/b/big.bin',
      dir,
      '--force',
    ])
    expect(saved).toEqual({ file: join(dir, 'big.bin'), size_bytes: big.length })
    await berth.ok('files put', [alice.username, join(dir, 'big.bin'), 'public_html/'])
    const out = await berth.ok('files get', [alice.username, 'public_html/big.bin', '-'])
    expect(out.length).toBe(big.length)
  })

  test('list shows what is there, without control characters of names', async () => {
    await alice.put('public_html/\u001b[31mred.txt', 'x')
    const table = await berth.ok('files list', [alice.username, 'public_html'])
    expect(table).toMatch(/^MODE\s+OWNER\s+SIZE[^]*a\/\n/)
    expect(table).toContain('\\u{1b}[31mred.txt')
    expect(table).not.toContain('\u001b')
    expect((await berth.run('files list', [alice.username, 'none'])).code).toBe(1)
  })

  test('chmod, move, copy, archive, extract, delete', async () => {
    const run = (name: string, ...args: string[]) => berth.ok(name, [alice.username, ...args])
    await run('files chmod', 'public_html/big.bin', '0600')
    await run('files move', 'public_html/big.bin', 'big.bin')
    await run('files copy', 'public_html/a', 'copy')
    await run('files archive', 'all.tar.gz', 'copy', 'big.bin')
    await run('files mkdir', 'out')
    await run('files extract', 'all.tar.gz', 'out')
    expect((await berth.run('files extract', [alice.username, 'all.tar.gz', 'out'])).code).toBe(1)
    await run('files extract', 'all.tar.gz', 'out', '--overwrite')
    expect(readFileSync(alice.path('out/big.bin')).equals(big)).toBe(true)
    expect((await berth.run('files delete', [alice.username, 'out'])).code).toBe(2)
    await run('files delete', 'out', '--yes')
    const names = (await berth.json<{ name: string }[]>('files list', [alice.username])).map(
      ({ name }) => name,
    )
    expect(names).toEqual(expect.arrayContaining(['copy', 'big.bin', 'all.tar.gz']))
    expect(names).not.toContain('out')
  })
})

describe('backups and targets', () => {
  test('create, list, download, restore, delete, cleanup', async () => {
    const made = await berth.json<{ filename: string }>('backups create', [
      alice.username,
      '--target',
      'local',
    ])
    const { filename } = made
    const list = ['--sort', 'created_at', '--order', 'asc', '--q', filename]
    expect(await berth.ok('backups list', [alice.username, ...list])).toContain(filename)
    const saved = await berth.json<{ file: string }>(
      'backups download',
      [alice.username, filename, '--location', 'local'],
      { cwd: dir },
    )
    expect(saved.file).toBe(filename)
    expect(readFileSync(join(dir, filename)).subarray(0, 2)).toEqual(Buffer.from([0x1f, 0x8b]))
    const again = await berth.run('backups download', [alice.username, filename], { cwd: dir })
    expect(again.code).toBe(1)
    await berth.ok('backups download', [alice.username, filename, '--force'], { cwd: dir })
    await alice.put('public_html/later.txt', 'x')
    const restore = [alice.username, filename, '--what', 'files', '--location', 'local']
    expect((await berth.run('backups restore', restore)).code).toBe(2)
    await berth.ok('backups restore', [...restore, '--yes'])
    expect((await alice.run('cat', [alice.path('public_html/later.txt')])).code).not.toBe(0)
    expect(await berth.ok('backups restores', [alice.username])).toContain(filename)
    await berth.ok('backups undo', [alice.username, '--yes'])
    expect((await alice.run('cat', [alice.path('public_html/later.txt')])).stdout).toBe('x')
    const contents = ['backups contents', [alice.username, filename, 'public_html']] as const
    expect(await berth.ok(...contents)).toContain('public_html/index.html')
    expect(await berth.ok(contents[0], [...contents[1], '--page', '1'])).toContain('index.html')
    const chosen = [alice.username, filename, '--path', 'public_html/index.html', '--yes']
    expect(await berth.ok('backups restore', chosen)).toContain('berth backups undo')
    expect((await alice.run('cat', [alice.path('public_html/later.txt')])).stdout).toBe('x')
    const settings = [alice.username, filename, '--what', 'settings', '--yes']
    expect(await berth.ok('backups restore', settings)).toContain('was put back')
    expect(await berth.ok('backups restores', [alice.username])).toMatch(/all\s+until/)
    expect(await berth.ok('backups undo', [alice.username, '--yes'])).toContain('is back')
    const missing = [alice.username, filename, '--database', `${alice.username}_none`, '--yes']
    expect((await berth.run('backups restore', missing)).code).toBe(1)
    expect(await berth.json('backups cleanup', ['--days', '30'])).toMatchObject({ removed: [] })
    await berth.ok('backups delete', [alice.username, filename, '--location', 'local', '--yes'])
    expect(await berth.ok('backups list', [alice.username])).not.toContain(filename)
    expect((await berth.run('backups cleanup', ['--days', 'x'])).code).toBe(2)
  })

  test('begun without waiting, a backup is followed as a job', async () => {
    const { job_id: id } = await berth.json<{ job_id: string }>('backups create', [
      alice.username,
      '--no-wait',
    ])
    expect(await berth.ok('jobs follow', [id])).toMatch(/filename\s+\S+\.tar\.gz/)
  })

  test('targets list', async () => {
    expect(await berth.ok('targets list')).toContain('There are no remote targets.')
    expect(await berth.json('target list')).toEqual([])
  })
})

describe('users, tokens, audit', () => {
  test('users: create, list, show, password, rename, lock, unlock, delete', async () => {
    await berth.ok('users create', ['carol', '--password-stdin'], { input: 'long enough 1\n' })
    await berth.ok('users password', ['carol', '--generate-password'])
    await berth.ok('users rename', ['carol', 'caroline'])
    await berth.ok('users lock', ['caroline'])
    expect(await berth.json('users show', ['caroline'])).toMatchObject({ status: 'locked' })
    await berth.ok('users unlock', ['caroline'])
    await berth.ok('users remove-second-factor', ['caroline'])
    expect(await berth.ok('users list', ['--sort', 'username'])).toMatch(/admin[^]*caroline/)
    expect((await berth.run('users delete', ['caroline'])).code).toBe(2)
    await berth.ok('users delete', ['caroline', '--yes'])
    expect((await berth.run('users show', ['caroline'])).stderr).toContain('no administrator')
  })

  test('tokens: create prints it once, list does not show it, delete revokes', async () => {
    const token = (
      await berth.ok('tokens create', [
        'deploy',
        '--scope',
        'read',
        '--scope',
        'cache',
        '--expires',
        '2099-01-31',
        '--account',
        alice.username,
      ])
    ).trim()
    expect(token).toMatch(/^berth_/)
    const rows = await berth.json<{ id: number; name: string; expires_at: string }[]>('tokens list')
    const made = rows.find(({ name }) => name === 'deploy')
    expect(made).toMatchObject({ expires_at: '2099-01-31 23:59:59' })
    expect(JSON.stringify(rows)).not.toContain(token)
    expect((await panel.call('GET', '/api/auth/me', undefined, token)).status).toBe(200)
    expect((await berth.run('tokens create', ['none'])).code).toBe(2)
    const odd = ['odd', '--scope', 'read', '--expires', 'soon', '--account', alice.username]
    expect((await berth.run('tokens create', odd)).code).toBe(2)
    await berth.ok('tokens delete', [String(made?.id), '--yes'])
    expect((await panel.call('GET', '/api/auth/me', undefined, token)).status).toBe(401)
  })

  test('sessions: list names who is logged in, end refuses their next request', async () => {
    const { token } = await panel.data<{ token: string }>('POST', '/api/auth/login', {
      username: alice.username,
      password: alice.password,
    })
    const rows = await berth.json<{ id: number; owner: string }[]>('sessions list', [
      '--q',
      alice.username,
    ])
    expect(rows.length).toBeGreaterThan(0)
    expect(await berth.ok('sessions list')).toContain(alice.username)
    for (const { id } of rows) {
      expect(await berth.ok('sessions end', [String(id)])).toBe(`Session ${id} has ended.\n`)
    }
    expect((await panel.call('GET', '/api/auth/me', undefined, token)).status).toBe(401)
    expect((await berth.run('sessions end', [String(rows[0]?.id)])).stderr).toContain('not found')
  })

  test('audit list names who did it', async () => {
    const all = await berth.ok('audit list', ['--actor', 'root@local', '--result', 'done'])
    expect(all).toMatch(/^TIME\s+ACTOR[^]*root@local/)
    const range = ['--from', '2000-01-01', '--until', '2000-01-02']
    expect(await berth.json('audit list', range)).toEqual([])
  })
})

describe('the server', () => {
  test('system, web, license, doctor and api', async () => {
    expect(await berth.ok('system info')).toMatch(/hostname\s+\S+/)
    expect(await berth.json('system recovery')).toEqual({
      live: true,
      kit_made_at: null,
      kit_verified_at: null,
      exported_at: null,
      accounts_waiting: 0,
      hooks_waiting: 0,
      hosts_waiting: 0,
    })
    expect(await berth.json('system stats')).toMatchObject({ accounts: { count: 1 } })
    expect(await berth.json('system history', ['--range', '15m'])).toMatchObject({ range: '15m' })
    expect((await berth.run('system history')).code).toBe(0)
    expect(await berth.ok('web status')).toMatch(/running\s+yes/)
    expect(await berth.json('web version')).toHaveProperty('version')
    expect(await berth.ok('web regenerate')).toMatch(
      /^\d virtual hosts were written, 0 removed\.\n$/,
    )
    expect(await berth.ok('web reload')).toBe('Reloaded.\n')
    expect(await berth.json('web restart')).toEqual({ restarted: true })
    expect(await berth.ok('license status')).toMatch(/tier\s+community/)
    const me = await berth.json('api', ['GET', '/api/auth/me'])
    expect(me).toMatchObject({ username: 'root@local' })
    const body = ['--data', '{"reason":"unpaid"}']
    await berth.ok('api', ['POST', `/api/accounts/${alice.id}/suspend`, ...body])
    await berth.ok('api', ['POST', `/api/accounts/${alice.id}/unsuspend`])
    expect((await berth.run('api', ['BREW', '/api/auth/me'])).code).toBe(2)
    expect((await berth.run('api', ['GET', '/nothing'])).code).toBe(2)
    expect((await berth.run('api', ['POST', '/api/x', '--data', '{'])).code).toBe(2)
    expect((await berth.run('api', ['GET', '/api/none'])).code).toBe(1)
  })

  test('logs: list, show, follow, download', async () => {
    const path = `/missing-${alice.username}`
    await instance.site(alice.domain, path)
    expect(await berth.ok('logs list')).toMatch(/^LOG\s+SIZE[^]*access/)
    const filters = ['--domain', alice.domain, '--status', '404', '--method', 'GET', '--q', path]
    const seen = async (): Promise<string> => berth.ok('log show', ['access', ...filters])
    await expect.poll(seen, { timeout: 30_000 }).toContain(path)
    const some = ['access', '--lines', '5', '--level', 'warn', '--from', '2000-01-01']
    expect(await berth.json('logs show', some)).toHaveProperty('lines')
    expect(await berth.ok('logs show', ['access', '--until', '2000-01-01'])).toBe('')
    const saved = await berth.json('logs download', ['access', join(dir, 'access.log'), ...filters])
    expect(saved['size_bytes']).toBeGreaterThan(0)
    expect((await berth.run('logs download', ['access', join(dir, 'access.log')])).code).toBe(1)
    expect((await berth.run('logs show', ['none'])).code).toBe(1)
    expect((await berth.run('logs show', ['access', '--lines', '0'])).code).toBe(2)
  })

  test('logs follow shows what is written from now on', async () => {
    const follower = berth.start('logs follow', ['access', '--json', '--q', 'followed'])
    try {
      const line = await new Promise<string>((done, reject) => {
        follower.stdout.setEncoding('utf8').on('data', done)
        follower.on('exit', () => reject(new Error('it ended')))
        const knock = setInterval(() => {
          void instance.site(alice.domain, '/followed').catch(() => undefined)
        }, 500)
        follower.on('exit', () => clearInterval(knock))
        follower.stdout.once('data', () => clearInterval(knock))
      })
      expect(JSON.parse(line.split('\n')[0] ?? '')).toMatchObject({ path: '/followed' })
    } finally {
      follower.kill()
    }
  })

  test('domains cache, purge, warm', async () => {
    await alice.put('public_html/c.html', '<!doctype html>c')
    const visit = async () => (await instance.site(alice.domain, '/c.html')).headers['x-cache']
    expect([await visit(), await visit()]).toEqual(['MISS', 'HIT'])
    expect(await berth.ok('domains cache', [alice.domain])).toMatch(/domain\s+bt/)
    await berth.ok('domains purge', [alice.domain, '--path', '/c.html'])
    expect(await visit()).toBe('MISS')
    await berth.ok('domains purge', [alice.domain, '--all'])
    const warm = await berth.ok('domains warm', [alice.domain, '--path', '/c.html'])
    expect(warm).toMatch(/^1 pages were warmed/)
    expect(await visit()).toBe('HIT')
    await berth.ok('domains purge', [alice.domain, '--tag', 'none'])
    expect((await berth.run('domains purge', [alice.domain])).code).toBe(2)
    expect(await berth.json('domains warm', [alice.domain, '--discover'])).toHaveProperty('done')
    const shown = await berth.ok('domains cache', [alice.domain])
    expect(shown).toMatch(/insight\n[^]*uri-miss\s+\d+ \([\d.]+ %\)/)
    expect(shown).toMatch(/ all by (panel|token):/)
  })

  test('domains figures', async () => {
    const headers = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Firefox/145.0' }
    await alice.put('public_html/figures.html', '<!doctype html>f')
    await instance.site(alice.domain, '/figures.html?pw=secret', { headers })
    const shown = (): Promise<string> => berth.ok('domains figures', [alice.domain])
    await expect.poll(shown, { timeout: 60_000, interval: 2000 }).toContain('1 /figures.html')
    expect(await shown()).toMatch(/^DAY \(UTC\) .*VISITORS/)
    expect(await shown()).not.toContain('secret')
    const day = new Date().toISOString().slice(0, 4)
    const span = ['--from', `${day}-01-01`, '--to', `${day}-12-31`]
    const table = await berth.ok('domains figures', [alice.domain, '-', '--csv', ...span])
    expect(table).toMatch(/^day,requests,visitors,[^\n]+\n\d{4}-\d\d-\d\d,\d+,/)
    expect(await berth.json('domains figures', [alice.domain])).toHaveProperty('slow_pages')
    const sites = await berth.ok('accounts figures', [alice.username, ...span])
    expect(sites).toMatch(/^SITE .*VISITORS/)
    expect(sites).toContain(alice.domain)
    for (const options of [['--from', 'x'], ['--to', '2026-1-1'], ['a.csv']])
      expect((await berth.run('domains figures', [alice.domain, ...options])).code).not.toBe(0)
    const written = [alice.domain, join(dir, 'visitors.csv'), '--csv']
    await berth.ok('domains figures', written)
    expect((await berth.run('domains figures', written)).code).toBe(1)
    await berth.ok('domains figures', [...written, '--force'])
  })

  test('domains cache-rules', async () => {
    const change = (...options: string[]) =>
      berth.json('domains cache-rules', [alice.domain, ...options])
    const rules = ['--harmless-cookie', 'theme', '--harmless-cookie', 'lang', '--fills', 'neutral']
    expect(await change(...rules, '--ignore-param', 'utm_*')).toMatchObject({
      rules: {
        harmless_cookies: ['theme', 'lang'],
        session_cookies: [],
        ignore_params: ['utm_*'],
        fills: 'neutral',
      },
    })
    await change('--session-cookie', 'member', '--application', 'dokuwiki')
    const shown = await berth.ok('domains cache', [alice.domain])
    expect(shown).toMatch(/session_cookies\s+member\n/)
    expect(shown).toMatch(/application\s+dokuwiki\n/)
    const undone = ['--harmless-cookie', '', '--session-cookie', '', '--ignore-param', '']
    expect(await change(...undone, '--application', 'auto', '--fills', 'auto')).toMatchObject({
      rules: { harmless_cookies: [], session_cookies: [], application: null, fills: 'auto' },
    })
    expect((await berth.run('domains cache-rules', [alice.domain])).code).toBe(2)
    const bad = await berth.run('domains cache-rules', [alice.domain, '--application', 'word'])
    expect(bad.code).not.toBe(0)
  })

  test('domains cache-plugin', async () => {
    const plugin = (...args: string[]) => berth.run('domains cache-plugin', [alice.domain, ...args])
    expect((await plugin()).stdout).toContain('No WordPress is in the document root')
    expect((await plugin('--on')).code).toBe(1)
    await panel.data('POST', '/api/files/mkdir', {
      ...{ account_id: alice.id, path: 'public_html/wp-includes' },
    })
    for (const file of ['wp-login.php', 'wp-includes/version.php'])
      await alice.put(`public_html/${file}`, '<?php')
    expect((await plugin('--on')).stdout).toContain('current')
    expect((await plugin()).stdout).toContain('mu-plugins/berth-cache.php')
    expect((await plugin('--off')).stdout).toContain('none')
    expect((await plugin('--on', '--off')).code).toBe(2)
    for (const name of ['wp-login.php', 'wp-includes', 'wp-content'])
      await panel.data('DELETE', '/api/files/delete', {
        ...{ account_id: alice.id, path: `public_html/${name}` },
      })
  })

  test('wordpress core list, add and remove', async () => {
    expect(await berth.ok('wordpress core list')).toContain('None was added')
    const archive = join(dir, 'wordpress-7.7.1.zip')
    writeFileSync(archive, zipOf(smallCore('7.7.1')))
    const wrong = await berth.run('wordpress core add', [archive, '--sha256', '0'.repeat(64)])
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('its SHA-256 is')])
    expect((await berth.run('wordpress core add', [archive, '--sha256', 'x'])).code).toBe(2)
    // Nothing is fetched from nobody, and no language that is none.
    const language = (one: string) => berth.run('wordpress core add', ['7.7.1', '--language', one])
    expect((await language('German')).code).toBe(2)
    expect((await language('de_DE')).stderr).toContain('official = false')
    expect(await berth.ok('wordpress core add', [archive])).toContain('was not compared')
    expect(await berth.ok('wordpress core list')).toMatch(/7\.7\.1 +archive +no/)
    expect(await berth.ok('wordpress sources')).toMatch(/7\.7\.1 +en_US +archive/)
    await berth.ok('wordpress core remove', ['7.7.1'])
    const gone = await berth.run('wordpress core remove', ['7.7.1'])
    expect([gone.code, gone.stderr]).toEqual([1, expect.stringContaining('was not added here')])
  })

  test('wordpress sources and list', async () => {
    expect((await berth.run('wordpress sources')).code).toBe(0)
    const list = (...args: string[]) => berth.run('wordpress list', [alice.username, ...args])
    expect((await list()).stdout).toContain('No WordPress is in the sites')
    expect((await list('--outdated', 'true')).stdout).toContain('No WordPress is in the sites')
    for (const directory of ['shop/wp-includes', 'shop/wp-content/plugins/fair'])
      await panel.data('POST', '/api/files/mkdir', {
        ...{ account_id: alice.id, path: `public_html/${directory}` },
      })
    await alice.put('public_html/shop/wp-includes/version.php', "<?php $wp_version = '5.9.1';")
    await alice.put(
      'public_html/shop/wp-content/plugins/fair/fair.php',
      '<?php\n/*\n * Plugin Name: Fair\n * Version: 1.2\n */',
    )
    const found = JSON.parse((await list('--json')).stdout) as unknown[]
    expect(found).toMatchObject([
      {
        ...{ domain: alice.domain, path: 'public_html/shop', directory: 'shop', version: '5.9.1' },
        plugins: [{ slug: 'fair', name: 'Fair', version: '1.2', outdated: false }],
      },
    ])
    expect((await list()).stdout).toContain(`${alice.domain}/shop/`)
    // There is nothing behind its version.
    const administrators = await berth.run('wordpress administrators', [
      ...[alice.username, 'public_html/shop'],
    ])
    expect(administrators.stderr).toContain('No WordPress is in that folder')
    const at = [alice.username, 'public_html/shop']
    const withoutConfig = 'There is no wp-config.php'
    expect((await berth.run('wordpress settings', at)).stderr).toContain(withoutConfig)
    const set = (...more: string[]) => berth.run('wordpress set', [...at, ...more])
    expect((await set('--debug', 'on', '--cron', 'visitors')).stderr).toContain(withoutConfig)
    expect((await set()).code).toBe(2)
    const password = ['--user', 'a', '--generate-password']
    const noPassword = await berth.run('wordpress password', [...at, ...password])
    expect(noPassword.stderr).toContain('No WordPress is in that folder')
    expect((await berth.run('wordpress verify', at)).stderr).toContain('No source on this server')
    const updated = await berth.run('wordpress update', [...at, '--wordpress-version', '1.0'])
    expect(updated.stderr).toContain('version must be one of')
    expect(await berth.ok('wordpress packages')).toContain('No archives are placed')
    const newer = (...more: string[]) => berth.run('wordpress updates', [...at, ...more])
    expect((await newer()).stderr).toContain('No WordPress is in that folder')
    expect((await newer('--ask')).stderr).toContain('No WordPress is in that folder')
    const parts = ['--plugin', 'fair', '--theme', 'blue', '--ask']
    const plugins = await berth.run('wordpress update-plugins', [...at, ...parts])
    expect([plugins.code, plugins.stderr]).toEqual([
      ...[1, expect.stringContaining('No WordPress is in that folder')],
    ])
    const moved = await berth.run('wordpress replace-address', [
      ...[...at, 'https://new.example', '--from', 'http://old.example', '--dry-run'],
    ])
    expect(moved.stderr).toContain('No WordPress is in that folder')
    const copy = ['--directory', 'copy', '--database', 'copy', '--wildcard']
    const root = ['--document-root', `${alice.home}/stage`]
    const staged = await berth.run('wordpress stage', [
      ...[...at, `stage.${alice.domain}`, ...copy, ...root],
    ])
    expect([staged.code, staged.stderr]).toEqual([1, expect.stringContaining('No WordPress')])
    const cloned = await berth.run('wordpress clone', [
      ...[...at, alice.username, alice.domain, ...copy],
    ])
    expect([cloned.code, cloned.stderr]).toEqual([1, expect.stringContaining('No WordPress')])
    const chosen = ['--database-only', '--tables', 'wp_posts, wp_options', '--with-bound']
    const pushed = await berth.run('wordpress push', [...at, ...chosen, '--yes'])
    expect(pushed.stderr).toContain('no staging copy')
    const nothing = await berth.run('wordpress push', [...at, '--files-only', ...chosen, '--yes'])
    expect(nothing.stderr).toContain('files or database must be true')
    expect((await berth.run('wordpress tables', at)).stderr).toContain('No WordPress')
    const login = await berth.run('wordpress login', [alice.username, 'public_html', '--user', 'a'])
    expect(login.stderr).toContain('No WordPress of this account')
    expect((await list('--outdated', 'true')).stdout).toContain('No WordPress')
    const install = (...args: string[]) =>
      berth.run('wordpress install', [alice.username, alice.domain, ...args])
    expect((await install('--generate-password')).code).toBe(2)
    const wanted = ['--title', 'A', '--admin', 'a', '--email', 'a@alice.example']
    const where = ['--directory', 'new', '--locale', 'en_US', '--database', 'news']
    const made = ['--wordpress-version', '1.0', '--generate-password']
    const refused = await install(...wanted, ...where, ...made)
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('version')])
    await panel.data('DELETE', '/api/files/delete', {
      ...{ account_id: alice.id, path: 'public_html/shop' },
    })
  })

  test('domains forget-cookie', async () => {
    await alice.put('public_html/set.php', `<?php setcookie('theme', '1'); echo 'set';`)
    const learned = async () =>
      (
        await berth.json<{ insight: { learned_cookies: string[] } }>('domains cache', [
          alice.domain,
        ])
      ).insight.learned_cookies
    const forget = (...args: string[]) =>
      berth.run('domains forget-cookie', [alice.domain, ...args])
    expect((await instance.site(alice.domain, '/set.php')).text).toBe('set')
    await expect.poll(learned).toContain('theme')
    expect((await forget('theme')).stdout).toContain('theme')
    expect(await learned()).not.toContain('theme')
    expect((await forget('theme')).code).not.toBe(0)
    expect((await forget('--all')).code).toBe(0)
    expect((await forget()).code).toBe(2)
    expect((await forget('theme', '--all')).code).toBe(2)
  })

  test('php info lists versions and what runs', async () => {
    await alice.put('public_html/i.php', '<?php echo 1;')
    expect((await instance.site(alice.domain, '/i.php')).text).toBe('1')
    expect(await berth.ok('php info')).toMatch(
      new RegExp(`^VERSION[^]*ACCOUNT[^]*${alice.username} .* ok\n`),
    )
    expect(await berth.json('php info')).toMatchObject({
      pools: [{ username: alice.username, mode: 'fpm', answers: true }],
    })
  })

  test('php test runs a script through every mode, and leaves nothing behind', async () => {
    const rows = await berth.json<{ mode: string; ok: boolean; uid: number }[]>('php test')
    expect(rows.length).toBeGreaterThan(1)
    for (const row of rows) expect(row).toMatchObject({ ok: true, error: null })
    const table = await berth.ok('php test', ['--account', alice.username, '--mode', 'fpm'])
    expect(table).toMatch(new RegExp(`^VERSION[^]* ok .* ms[^]*fpm-fcgi\\s+${alice.uid}\\s`))
    const none = await berth.run('php test', ['--php-version', '4.0'])
    expect([none.code, none.stdout]).toEqual([1, ''])
    const { run_dir: runDir } = instance.config.paths
    const left = ['', 'php', 'php-conf'].flatMap((name) => readdirSync(join(runDir, name)))
    expect(left.filter((name) => /php-?test/.test(name))).toEqual([])
  })

  test('php show and set', async () => {
    const { version } = await berth.json<{ version: string }>('php show', [alice.username])
    expect(await berth.json('php set', [alice.username, '--mode', 'cgi'])).toEqual({
      version,
      mode: 'cgi',
    })
    expect(await berth.ok('php set', [alice.username, version, '--mode', 'fpm'])).toMatch(
      /mode\s+fpm/,
    )
    expect((await berth.run('php set', [alice.username])).code).toBe(2)
    expect((await berth.run('php set', [alice.username, '4.0'])).code).toBe(1)
  })
})
