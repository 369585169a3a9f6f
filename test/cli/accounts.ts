import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { randomUsername } from '#test/support/panel-client.ts'
import { instance, panel } from '#test/support/setups/shared-instance.ts'
import { cpanelArchive } from '#test/support/foreign-archives/cpanel-archive.ts'
import { makeCertificate } from '#test/support/make-certificate.ts'
import { Berth } from './support/run-berth.ts'
import { temporaryDirectory } from '#test/support/setups/temporary-directory.ts'

let berth: Berth
const alice = randomUsername()
const domain = `${alice}.example.com`

beforeAll(async () => {
  berth = new Berth('--config', instance.config.file)
})
afterAll(async () => {
  berth?.remove()
})

const create = (name: string, ...more: string[]) => [
  name,
  '--domain',
  `${name}.example.com`,
  '--email',
  `${name}@example.com`,
  ...more,
]

describe('accounts', () => {
  test('create with a generated password, which is printed once and lets in', async () => {
    const args = create(alice, '--plan', 'pro', '--disk-quota', '700', '--generate-password')
    const made = await berth.json<{ username: string; password: string; disk_quota_mb: number }>(
      'accounts create',
      [...args, '--bandwidth-quota', '9000'],
    )
    expect(made).toMatchObject({ username: alice, plan: 'pro', disk_quota_mb: 700 })
    expect(made.password).toMatch(/^\w{20}$/)
    const login = { username: alice, password: made.password }
    expect((await panel.call('POST', '/api/auth/login', login, null)).status).toBe(200)
  })

  test('create reads the password from standard input, and shows none', async () => {
    const bob = randomUsername()
    const out = await berth.ok('accounts create', create(bob, '--password-stdin'), {
      input: 'long enough 1\n',
    })
    expect(out).toBe(`Account ${bob} was created.\n`)
    const login = { username: bob, password: 'long enough 1' }
    expect((await panel.call('POST', '/api/auth/login', login, null)).status).toBe(200)
    const begun = await berth.json('accounts delete', [bob, '--yes', '--no-wait'])
    const id = String(begun['job_id'])
    expect(await berth.json('jobs follow', [id])).toMatchObject({ deleted: true })
    expect(await berth.json('jobs show', [id])).toMatchObject({ id, state: 'done' })
    expect(await berth.ok('jobs list', ['--sort', 'created_at', '--order', 'desc'])).toMatch(
      /^ID\s+KIND[^]*account\.delete/,
    )
  })

  test('without a way to get a password, and with two, the command line is wrong', async () => {
    const none = await berth.run('accounts create', create('carol'))
    expect([none.code, none.stdout]).toEqual([2, ''])
    expect(none.stderr).toContain('--generate-password')
    const two = create('carol', '--generate-password', '--password-stdin')
    expect((await berth.run('accounts create', two)).code).toBe(2)
    const noEmail = await berth.run('accounts create', ['carol', '--domain', 'carol.example'])
    expect(noEmail.code).toBe(2)
  })

  test('what the panel refuses is said, with exit code 1', async () => {
    const taken = await berth.run('accounts create', create(alice, '--generate-password'))
    expect([taken.code, taken.stdout]).toEqual([1, ''])
    expect(taken.stderr).not.toBe('')
    const unknown = await berth.run('accounts show', ['nobody'])
    expect(unknown).toEqual({
      code: 1,
      stdout: '',
      stderr: 'There is no account "nobody". See: berth accounts list\n',
    })
  })

  test('list as a table, by page and search, and as JSON; the alias works', async () => {
    const table = await berth.ok('account list', ['--q', alice])
    expect(table).toMatch(/^ID\s+USERNAME\s+DOMAIN[^]*\n\s*\d+\s+bt\w+\s+bt\w+\.example\.com\s+pro/)
    const rows = await berth.json<unknown[]>('accounts list', [
      '--sort',
      'username',
      '--order',
      'desc',
      '--page',
      '1',
      '--per-page',
      '1',
    ])
    expect(rows).toHaveLength(1)
    expect(await berth.ok('accounts list', ['--q', 'zzzzzz'])).toContain('There are no accounts.')
    expect((await berth.run('accounts list', ['--sort', 'bogus'])).code).toBe(2)
    expect((await berth.run('accounts list', ['--page', '0'])).code).toBe(2)
  })

  test('show by name and by number', async () => {
    const { id } = await berth.json<{ id: number }>('accounts show', [alice])
    expect(await berth.ok('accounts show', [String(id)])).toMatch(
      new RegExp(`username\\s+${alice}\n`),
    )
  })

  test('update changes what is named, and "plan" goes back to the plan', async () => {
    const changed = await berth.json('accounts update', [alice, '--email', 'new@example.com'])
    expect(changed).toMatchObject({ email: 'new@example.com', disk_quota_mb: 700 })
    const back = await berth.json('accounts update', [
      alice,
      '--disk-quota',
      'plan',
      '--bandwidth-quota',
      'plan',
      '--plan',
      'free',
    ])
    expect(back).toMatchObject({ disk_quota_mb: 500, bandwidth_quota_mb: 10_000 })
    expect((await berth.run('accounts update', [alice])).code).toBe(2)
  })

  test('limits are those of the plan, and plans are made, changed and deleted', async () => {
    const quotas = ['--disk-quota', '9', '--bandwidth-quota', '9']
    const counts = ['--domains', '9', '--databases', '9', '--tokens', '9', '--backups', '9']
    const given = [...quotas, ...counts]
    const cron = [
      '--applications',
      '9',
      '--cron-jobs',
      '9',
      '--ssh-keys',
      '9',
      '--people',
      '9',
      '--sftp-users',
      '9',
    ]
    const addresses = ['--database-addresses', '9']
    const made = [
      ...given,
      ...cron,
      ...addresses,
      '--mails',
      '300',
      '--processes',
      '80',
      '--memory',
      '700',
      ...['--memory-total', '900', '--cpu-weight', '150'],
      ...['--cpu-percent', '200', '--io-weight', '50'],
    ]
    expect((await berth.run('plans create', ['agency', ...given])).code).toBe(2)
    expect(await berth.json('plans create', ['agency', ...made])).toMatchObject({
      name: 'agency',
      domains_limit: 9,
      memory_limit_mb: 700,
    })
    expect(await berth.ok('plans list')).toMatch(
      /^agency( +9){4} +5( +9){4} +300( +9){4} +0 +80 +700 +900 +150 +200 +50 +0$/m,
    )
    await berth.ok('accounts update', [alice, '--plan', 'agency'])
    expect(await berth.json('accounts use', [alice])).toMatchObject({ step_secs: 300 })
    expect(await berth.json('accounts limits', [alice])).toMatchObject({
      plan: 'agency',
      domains: { used: 1, limit: 9 },
    })
    const changed = await berth.json('plans update', [
      'agency',
      ...['--domains', '12', '--database-users', '7'],
    ])
    expect(changed).toMatchObject({
      domains_limit: 12,
      databases_limit: 9,
      database_users_limit: 7,
      accounts: 1,
    })
    expect((await berth.run('plans update', ['agency'])).code).toBe(2)
    expect((await berth.run('plans delete', ['agency', '--yes'])).code).toBe(1)
    await berth.ok('accounts update', [alice, '--plan', 'free', '--disk-quota', 'plan'])
    expect(await berth.ok('plans delete', ['agency', '--yes'])).toBe('Plan agency was deleted.\n')
    expect((await berth.run('plans show', ['agency'])).code).toBe(1)
  })

  test('password', async () => {
    await berth.ok('accounts password', [alice, '--password-stdin'], { input: 'another one 2\n' })
    const login = { username: alice, password: 'another one 2' }
    expect((await panel.call('POST', '/api/auth/login', login, null)).status).toBe(200)
  })

  test('suspend and unsuspend', async () => {
    await berth.ok('accounts suspend', [alice, '--reason', 'unpaid'])
    expect(await berth.json('accounts show', [alice])).toMatchObject({
      status: 'suspended',
      suspend_reason: 'unpaid',
    })
    await berth.ok('accounts unsuspend', [alice])
    expect((await berth.run('accounts unsuspend', [alice])).code).toBe(1)
  })

  test('remove-second-factor answers for an account without one', async () => {
    const { code, stderr } = await berth.run('accounts remove-second-factor', [alice])
    expect([code, stderr]).toEqual([0, ''])
  })
})

describe('domains', () => {
  const shop = `shop.${domain}`
  test('add, list, show, update, delete', async () => {
    const added = await berth.json('domains add', [
      shop.toUpperCase(),
      '--account',
      alice,
      '--type',
      'subdomain',
      '--no-cache',
      '--cache-exclude',
      '/cart/*',
      '--cache-exclude',
      '/me',
    ])
    expect(added).toMatchObject({
      domain_name: shop,
      cache_enabled: false,
      cache_exclude: ['/cart/*', '/me'],
    })
    expect(String(added['document_root'])).toMatch(new RegExp(`/${alice}/${shop}$`))
    const rows = await berth.json<unknown[]>('domains list', ['--account', alice])
    expect(rows).toHaveLength(2)
    expect(await berth.ok('domains list', ['--q', shop])).toMatch(/DOMAIN[^]*subdomain/)
    const changed = await berth.json('domains update', [
      shop,
      '--cache',
      '--cache-ttl',
      '60',
      '--root',
      'blog',
      '--no-hsts',
      '--no-redirect-https',
      '--php-version',
      'account',
    ])
    expect(changed).toMatchObject({ cache_enabled: true, cache_ttl: 60, php_version: null })
    expect(String(changed['document_root'])).toMatch(/\/blog$/)
    expect(await berth.ok('domains show', [shop])).toMatch(/cache_ttl\s+60/)
    expect(await berth.json('domains update', [shop, '--cache-ttl', 'server'])).toMatchObject({
      cache_ttl: null,
    })
    // There is no certificate to lead to.
    expect((await berth.run('domains update', [shop, '--redirect-https', '--hsts'])).code).toBe(1)
    expect(await berth.ok('domains delete', [shop, '--yes'])).toBe(`Domain ${shop} was removed.\n`)
    expect((await berth.run('domains show', [shop])).code).toBe(1)
  })

  test('nothing to change, an unknown type: exit code 2', async () => {
    expect((await berth.run('domains update', [domain])).code).toBe(2)
    const args = ['x.example', '--account', alice, '--type', 'bogus']
    expect((await berth.run('domains add', args)).code).toBe(2)
  })
})

describe('databases', () => {
  test('engines, create, list, password, delete', async () => {
    expect(await berth.ok('databases engines')).toMatch(/^ENGINE\s+VERSION[^]*mariadb/)
    const made = await berth.json('databases create', [
      alice,
      'shop',
      '--engine',
      'mariadb',
      '--user',
      'web',
      '--generate-password',
    ])
    expect(made).toMatchObject({ database: `${alice}_shop`, user: `${alice}_web` })
    expect(String(made['password'])).toHaveLength(20)
    expect(await berth.ok('databases list', [alice])).toMatch(/DATABASE\s+ENGINE[^]*_shop/)
    const all = await berth.json<{ username: string }[]>('databases list-all', [
      '--engine',
      'mariadb',
    ])
    expect(all).toContainEqual(expect.objectContaining({ database: `${alice}_shop` }))
    await berth.ok('databases password', [alice, 'shop', '--password-stdin', '--engine', 'mysql'], {
      input: 'brand new pw 1\n',
    })
    const out = await berth.json('databases export', [alice, 'shop', '--format', 'zip'])
    const filename = String(out['filename'])
    expect(filename).toMatch(new RegExp(`^mariadb-${alice}_shop-[0-9-]+[.]zip$`))
    expect(await berth.ok('databases exports', [alice])).toContain(filename)
    const copy = join(temporaryDirectory('bcli-'), filename)
    await berth.ok('databases download', [alice, filename, copy])
    await berth.ok('files put', [alice, copy, 'dump.zip'])
    const question = await berth.run('databases import', [alice, 'shop', 'dump.zip'])
    expect([question.code, question.stderr]).toEqual([
      2,
      expect.stringContaining('Confirm it with --yes.'),
    ])
    const into = [alice, 'shop', 'dump.zip', '--remove-file', '--engine', 'mariadb', '--yes']
    expect(await berth.ok('databases import', into)).toContain('berth backups undo')
    expect((await berth.run('databases import', into)).stderr).toContain('dump.zip')
    const refused = await berth.run('databases delete', [alice, 'shop'])
    expect([refused.code, refused.stderr]).toEqual([
      2,
      `Dropping database shop of ${alice} cannot be undone. Confirm it with --yes.\n`,
    ])
    await berth.ok('databases delete', [alice, 'shop', '--yes'])
    expect(await berth.json('databases list', [alice])).toEqual([])
  })
})

test('delete asks for --yes, and takes a last backup', async () => {
  expect((await berth.run('accounts delete', [alice])).code).toBe(2)
  const { id } = await berth.json<{ id: number }>('accounts show', [alice])
  const out = await berth.ok('accounts delete', [alice, '--backup', '--yes'])
  expect(out).toBe(`Account ${alice} was deleted.\n`)
  const left = await berth.json<{ filename: string }[]>('backups list', [String(id)])
  expect(left).toHaveLength(1)

  expect(await berth.ok('backups deleted')).toMatch(new RegExp(`${id}\\s+${alice}\\s+1`))
  const backup = [left[0]?.filename ?? '', '--account', String(id)]
  const seen = await berth.ok('backups import', [...backup, '--dry-run'])
  expect(seen).toContain('made by this host')
  expect((await berth.run('backups import', backup)).code).toBe(2)
  const other = ['--username', `${alice.slice(0, 12)}x`, '--rename', 'x']
  expect((await berth.run('backups import', [...backup, ...other, '--yes'])).code).toBe(2)
  expect(await berth.ok('backups import', [...backup, '--yes'])).toContain(
    `Account ${alice} was made; its number is`,
  )
  const again = await berth.run('backups import', [...backup, '--yes'])
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('already')])
  await berth.ok('accounts delete', [alice, '--yes'])
})

test('an account of another panel moves in, under names of its own', async () => {
  const name = randomUsername()
  const certificate = { ...makeCertificate({ names: ['shop.example'] }), chain: '' }
  const file = `/root/cpmove-${name}.tar.gz`
  writeFileSync(file, await cpanelArchive({ username: name, certificate }), { mode: 0o600 })
  const names = ['--domain', `${name}.example`, '--without', 'blog.example']
  const renamed = [...names, '--rename', `shop-alias.example=${name}-alias.example`]
  const asked = [file, ...renamed, '--plan', 'pro']
  const seen = await berth.ok('accounts import', [...asked, '--dry-run'])
  expect(seen).toMatch(/Stays behind: DNS zones: [^]*anybody may/)
  expect(seen).toContain('public_html/wp-config.php (1 path)')
  const refused = await berth.run('accounts import', [...asked, '--yes'])
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('--unproved')])
  const taken = [...asked, '--unproved', '--own-password', '--generate-password', '--yes']
  taken.push('--fix-configs')
  const out = await berth.ok('accounts import', taken)
  expect(out).toMatch(/Account \w+ was made; its number is \d+\.[^]*Password: \w{20}/)
  expect(await berth.ok('files get', [name, 'public_html/index.php', '-'])).toContain('shop')
  const config = await berth.ok('files get', [name, 'public_html/wp-config.php', '-'])
  expect(config).toMatch(new RegExp(`'/\\S*home/${name}/public_html/'`))
  expect(config).not.toContain('/home1/')
  expect(await berth.json('cron list', [name])).toMatchObject([
    {
      enabled: false,
      command: expect.stringMatching(/^php \/\S*home\/\w+\/cron\.php --/) as string,
    },
    { enabled: false, command: 'curl -s https://shop.example/cron' },
  ])
  const domains = await berth.json<{ domain_name: string }[]>('domains list', ['--account', name])
  expect(domains.map(({ domain_name }) => domain_name).sort()).toEqual([
    `${name}-alias.example`,
    `${name}.example`,
    `dev.${name}.example`,
  ])
  expect(await berth.json('databases list', [name])).toMatchObject([{ database: `${name}_shop` }])
  await berth.ok('accounts delete', [name, '--yes'])
})
