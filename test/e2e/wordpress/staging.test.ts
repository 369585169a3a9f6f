import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { asUser } from '#adapters/node/process/as-user.ts'
import { mustRun, runCommand } from '#adapters/node/process/run-command.ts'
import { randomUsername } from '#test/support/panel-client.ts'
import { instance, panel, shareInstance } from '#test/support/setups/shared-instance.ts'
import { cachedPages, visitInside } from '../support/cached-pages.ts'
import { wordpressTree } from '../support/wordpress-tree.ts'

const tree = await wordpressTree()
const username = randomUsername()
const other = randomUsername()
const domain = `${username}.example.com`
const staging = `staging.${domain}`
const clone = `clone.${other}.example.com`
const password = `Pw-${username}-8x`
const ids = { own: 0, other: 0 }
let home = ''
let uid = 0

interface Listed {
  path: string
  url: string
  staging_of: string | null
}
const list = (id = ids.own): Promise<Listed[]> =>
  panel.data('GET', `/api/wordpress/${id}?sort=path`)
/** Runs a program as the account, as its owner would over SSH. */
const asOwner = async (program: string, ...args: string[]): Promise<string> => {
  const run = asUser({ uid, gid: uid, groups: 'none' }, program, args)
  return (await mustRun(run.program, run.args, { cwd: home })).stdout
}
const write = (path: string, content: string): Promise<unknown> =>
  panel.data('POST', '/api/files/write', { account_id: ids.own, path, content })
const order = <T>(what: string, body: object): Promise<T> =>
  panel.data<T>('POST', `/api/wordpress/${ids.own}${what === '' ? '' : `/${what}`}`, body)
const refused = async (what: string, body: object): Promise<[number, string]> => {
  const { status, body: said } = await panel.call('POST', `/api/wordpress/${ids.own}/${what}`, body)
  return [status, String(said.error)]
}
const count = async (what: string, id = ids.own): Promise<number> =>
  (await panel.data<unknown[]>('GET', `/api/${what}/${id}`)).length
const front = async (host: string, path = '/'): Promise<string> => {
  const { status, text } = await instance.site(host, path)
  expect([host, path, status]).toEqual([host, path, 200])
  return text
}
const pages = cachedPages(() => instance)
/** Asks a site's own WordPress, by a script that the test put there. */
const ask = async (host: string, what: string): Promise<unknown> =>
  JSON.parse(await front(host, `/?ask=${what}&at=${Date.now()}`))

const MUST = 'wp-content/mu-plugins'
const ASK = `<?php
add_action('init', function () {
  $what = $_GET['ask'] ?? null;
  if ($what === null) return;
  header('cache-control: no-store');
  if ($what === 'kept') die(json_encode(get_option('kept')));
  if ($what === 'options') die(json_encode([get_option('siteurl'), get_option('home'), get_option('blog_public'), AUTH_KEY, DB_NAME, wp_get_environment_type()]));
  if ($what === 'mail') die(json_encode(wp_mail('customer@example.com', 'Hello', 'You')));
  if ($what === 'put') { update_option('kept', ['deep' => ['at' => home_url('/x'), 'in' => serialize([home_url()])], 'other' => home_url() . '.example', 'path' => ABSPATH . 'x']); die('1'); }
  if ($what === 'post') die(json_encode(wp_insert_post(['post_title' => $_GET['title'], 'post_status' => 'publish', 'post_content' => 'At ' . home_url('/here')])));
  if ($what === 'sql') { global $wpdb; $wpdb->hide_errors(); die(json_encode([$wpdb->query('SET SESSION foreign_key_checks = ' . (int) ($_GET['checks'] ?? 1)), $wpdb->get_results(base64_decode($_GET['sql']), ARRAY_N), $wpdb->last_error])); }
  if ($what === 'titles') die(json_encode(array_map(fn ($p) => $p->post_title, get_posts(['numberposts' => 50]))));
});
`

shareInstance({ append: `[wordpress]\nofficial = false\nsources = [${JSON.stringify(tree)}]` })

describe('a staging copy of a WordPress', () => {
  test('a site that has seen use', async () => {
    const account = async (name: string) =>
      (
        await panel.data<{ id: number }>('POST', '/api/accounts', {
          ...{ username: name, domain: `${name}.example.com`, password, plan: 'pro' },
          email: `${name}@example.com`,
        })
      ).id
    ids.own = await account(username)
    ids.other = await account(other)
    home = join(instance.config.paths.home_base, username)
    uid = Number((await mustRun('id', ['-u', '--', username])).stdout)
    await order('', {
      ...{ domain, title: 'Harbour News', admin_user: 'chief', admin_email: 'c@example.com' },
      admin_password: 'A long password',
    })
    for (const path of [MUST, 'wp-content/uploads/2026', 'addon', 'old'])
      await asOwner('mkdir', '-p', '--', join(home, 'public_html', path))
    await write(`public_html/${MUST}/ask.php`, ASK)
    await write('public_html/wp-content/plugins/old.php', '<?php // Goes away.\n')
    await write('public_html/wp-content/uploads/2026/a.txt', 'first upload')
    await write('public_html/old/wp-load.php', '<?php // Another installation.\n')
    await panel.data('POST', '/api/domains', {
      ...{ account_id: ids.own, domain_name: `addon.${domain}`, domain_type: 'subdomain' },
      document_root: join(home, 'public_html/addon'),
    })
    await asOwner(
      'ln',
      '-s',
      '--',
      'a.txt',
      join(home, 'public_html/wp-content/uploads/2026/b.txt'),
    )
    await asOwner('ln', '-s', '--', '/etc/passwd', join(home, 'public_html/wp-content/out.txt'))
    await ask(domain, 'put')
    await ask(domain, 'post&title=Before')
  })

  test('is made with its domain, database, keys and address', async () => {
    const made = await order('staging', { path: 'public_html', domain: staging })
    expect(made).toEqual({
      ...{ account_id: ids.own, domain: staging, path: staging, directory: '' },
      ...{ url: `http://${staging}/`, database: `${username}_stage`, new_domain: true },
      ...{ names: [], made: [] },
    })
    expect(await front(staging)).toContain('Harbour News')
    const [, copied] = await list()
    expect(copied).toMatchObject({ path: staging, staging_of: 'public_html' })
    const [live, copy] = (await Promise.all([
      ask(domain, 'options'),
      ask(staging, 'options'),
    ])) as string[][]
    expect(copy?.slice(0, 3)).toEqual([`http://${staging}`, `http://${staging}`, '0'])
    expect(live?.slice(0, 3)).toEqual([`http://${domain}`, `http://${domain}`, '1'])
    expect(copy?.slice(4)).toEqual([`${username}_stage`, 'staging'])
    expect(copy?.[3]).toHaveLength(64)
    expect(copy?.[3]).not.toBe(live?.[3])
    const to = `http://${staging}`
    expect(await ask(staging, 'kept')).toEqual({
      deep: { at: `${to}/x`, in: `a:1:{i:0;s:${to.length}:"${to}";}` },
      other: `http://${domain}.example`,
      path: join(home, staging, 'x'),
    })
    expect(await front(staging, '/before/')).toContain(`At ${to}/here`)
    expect(await asOwner('ls', '-A', '--', home)).not.toContain('.berth-wordpress')
  })

  test('has its files as the account, without what is not its own', async () => {
    const names = await asOwner('ls', '-A', '--', join(home, staging))
    expect(names).not.toMatch(/^(?:addon|old)$/m)
    expect(await asOwner('ls', '--', join(home, staging, 'wp-content'))).not.toContain('out.txt')
    const { stdout } = await mustRun('stat', [
      '-c',
      '%a %U',
      '--',
      join(home, staging, 'wp-config.php'),
    ])
    expect(stdout.trim()).toBe(`600 ${username}`)
    expect(await asOwner('cat', '--', join(home, staging, 'wp-content/uploads/2026/b.txt'))).toBe(
      'first upload',
    )
  })

  test('is kept from search engines, and sends no mail', async () => {
    const page = await instance.site(staging, '/?robots')
    expect(page.headers['x-robots-tag']).toBe('noindex, nofollow')
    expect(page.text).toMatch(/<meta name=.robots. content=.noindex/)
    expect(await ask(staging, 'mail')).toBe(true)
    const queue = await runCommand('find', [home, '-name', '*.eml'])
    expect(queue.stdout).toBe('')
  })

  test('goes back with files and tables, and the site keeps what is its own', async () => {
    const secret = ((await ask(domain, 'options')) as string[])[3]
    await write('public_html/wp-content/uploads/2026/late.txt', 'came meanwhile')
    await write('public_html/mine.txt', 'not of WordPress')
    await write(
      `${staging}/${MUST}/fresh.php`,
      "<?php add_action('wp_head', fn () => print('<!--fresh-->'));",
    )
    await asOwner('rm', '--', join(home, staging, 'wp-content/plugins/old.php'))
    await ask(staging, 'post&title=Tried')
    expect(await front(domain)).not.toContain('Tried')
    await pages.stored(domain, ['/', '/before/'])
    const pushed = await order<{ backup: string; tables: string[] }>('push', { path: staging })
    expect(pushed).toMatchObject({ path: 'public_html', files: true, url: `http://${domain}/` })
    expect(pushed.tables).toContain('wp_posts')
    expect(pushed.backup).not.toBe('')
    // From the page cache they would be those from before.
    await pages.madeAnew(domain, ['/', '/before/'], '<!--fresh-->')
    expect(await front(domain)).toContain('Tried')
    expect(await front(domain, '/tried/')).toContain(`At http://${domain}/here`)
    expect(await ask(domain, 'options')).toEqual([
      ...[`http://${domain}`, `http://${domain}`, '1', secret, `${username}_wp`, 'production'],
    ])
    expect(
      await asOwner('cat', '--', join(home, 'public_html/wp-content/uploads/2026/late.txt')),
    ).toBe('came meanwhile')
    expect(await asOwner('ls', '-A', '--', join(home, 'public_html'))).toMatch(/^mine.txt$/m)
    expect(await asOwner('ls', '--', join(home, 'public_html/wp-content/plugins'))).not.toContain(
      'hello.php',
    )
    expect(await asOwner('ls', '--', join(home, 'public_html', MUST))).not.toContain(
      'berth-staging',
    )
    expect((await instance.site(domain, '/?r')).headers['x-robots-tag']).toBeUndefined()
    const { tables } = await panel.data<{ tables: { name: string }[] }>(
      'GET',
      `/api/wordpress/${ids.own}/tables?path=public_html`,
    )
    expect(tables.map(({ name }) => name).join(' ')).not.toContain('berth_')
    expect(await asOwner('ls', '-A', '--', home)).not.toContain('.berth-wordpress')
  })

  test('goes back with chosen tables alone', async () => {
    await ask(staging, 'post&title=Chosen')
    await ask(staging, 'put')
    await ask(domain, 'put')
    await write(`${staging}/only-there.txt`, 'x')
    const tables = ['wp_posts', 'wp_postmeta']
    await pages.stored(domain, ['/', '/before/'])
    expect(await order('push', { path: staging, files: false, tables })).toMatchObject({ tables })
    await pages.madeAnew(domain, ['/'], 'Chosen')
    await pages.madeAnew(domain, ['/before/'], '</html>')
    expect(await ask(domain, 'titles')).toContain('Chosen')
    expect(await ask(domain, 'kept')).toMatchObject({ deep: { at: `http://${domain}/x` } })
    expect((await instance.site(domain, '/only-there.txt')).status).toBe(404)
    expect(await refused('push', { path: staging, tables: ['mysql'] })).toEqual([
      400,
      expect.stringContaining('no table mysql'),
    ])
  })

  /** What rows a statement answers that a site's own WordPress sends. */
  const sql = async (host: string, statement: string, checks = 1): Promise<unknown> => {
    const text = encodeURIComponent(Buffer.from(statement).toString('base64'))
    const told = (await ask(host, `sql&checks=${checks}&sql=${text}`)) as [unknown, unknown, string]
    expect(told[2]).toBe('')
    return told[1]
  }
  const KEYS = `SELECT CONSTRAINT_NAME, TABLE_NAME, REFERENCED_TABLE_NAME, DELETE_RULE FROM information_schema.REFERENTIAL_CONSTRAINTS WHERE CONSTRAINT_SCHEMA = DATABASE() ORDER BY 1`

  test('goes back with tables that foreign keys bind, together and bound as before', async () => {
    const make = async (host: string) => {
      await sql(
        host,
        'CREATE TABLE wp_rights (id INT PRIMARY KEY, of INT, FOREIGN KEY (of) REFERENCES wp_rights (id)) ENGINE=InnoDB',
      )
      await sql(
        host,
        'CREATE TABLE wp_log (id INT PRIMARY KEY, a INT, b INT, CONSTRAINT fk_log FOREIGN KEY (a) REFERENCES wp_rights (id) ON DELETE CASCADE, CONSTRAINT `odd``,name` FOREIGN KEY (b) REFERENCES wp_log (id) ON DELETE SET NULL ON UPDATE CASCADE, CHECK (id > 0)) ENGINE=InnoDB',
      )
    }
    await make(domain)
    await make(staging)
    await sql(domain, 'INSERT INTO wp_rights VALUES (1, NULL)')
    await sql(domain, 'INSERT INTO wp_log VALUES (1, 1, NULL)')
    await sql(staging, 'INSERT INTO wp_rights VALUES (7, NULL), (8, 7)')
    await sql(staging, 'INSERT INTO wp_log VALUES (5, 8, NULL), (6, 7, 5)')
    const keys = await sql(domain, KEYS)
    expect(keys).toEqual([
      ['fk_log', 'wp_log', 'wp_rights', 'CASCADE'],
      ['odd`,name', 'wp_log', 'wp_log', 'SET NULL'],
      ['wp_rights_ibfk_1', 'wp_rights', 'wp_rights', expect.stringMatching(/RESTRICT|NO ACTION/)],
    ])
    const one = { path: staging, files: false, tables: ['wp_log'] }
    expect(await refused('push', one)).toEqual([400, expect.stringContaining('bind wp_rights to')])
    expect(await order('push', { ...one, with_bound: true })).toMatchObject({
      tables: ['wp_log', 'wp_rights'],
    })
    expect(await sql(domain, 'SELECT * FROM wp_log')).toEqual([
      ['5', '8', null],
      ['6', '7', '5'],
    ])
    expect(await sql(domain, KEYS)).toEqual(keys)
    // The keys hold: what goes takes with it what refers to it.
    await sql(domain, 'DELETE FROM wp_rights WHERE id = 8')
    expect(await sql(domain, 'SELECT id, b FROM wp_log')).toEqual([['6', null]])

    await sql(staging, 'INSERT INTO wp_log VALUES (9, 99, NULL)', 0)
    expect(await refused('push', { ...one, with_bound: true })).toEqual([
      ...[409, expect.stringMatching(/^The site is as it was\..*wp_log refer .* not there/)],
    ])
    await sql(staging, 'DELETE FROM wp_log WHERE id = 9')
    await sql(
      domain,
      'CREATE TABLE own (a INT, CONSTRAINT fk_own FOREIGN KEY (a) REFERENCES wp_rights (id)) ENGINE=InnoDB',
    )
    expect(await refused('push', { path: staging, files: false })).toEqual([
      ...[
        409,
        expect.stringMatching(/site's table own refers by the foreign key fk_own to wp_rights/),
      ],
    ])
    await sql(domain, 'DROP TABLE own')
    expect(await sql(domain, 'SELECT id, b FROM wp_log')).toEqual([['6', null]])
    expect(await sql(domain, KEYS)).toEqual(keys)
    // With all of them, as a copy that is new has it.
    await order('push', { path: staging, files: false })
    expect(await sql(domain, 'SELECT id FROM wp_log ORDER BY id')).toEqual([['5'], ['6']])
    expect(await sql(domain, "SHOW TABLES LIKE 'berth%'")).toEqual([])
    for (const host of [domain, staging]) await sql(host, 'DROP TABLE wp_log, wp_rights')
  })

  test('of a site that then fails, all is put back', async () => {
    const must = `${staging}/${MUST}/picky.php`
    await write(
      must,
      `<?php add_action('template_redirect', function () {
        if (home_url() !== 'http://${domain}' || PHP_SAPI !== 'cli') return;
        ${visitInside(instance, domain, ['/'], 'seen')}
        throw new Error('Not here.');
      });`,
    )
    await ask(staging, 'post&title=Broken')
    await pages.stored(domain, ['/'])
    const before = await asOwner('ls', '-A', '--', join(home, 'public_html'))
    expect(await refused('push', { path: staging })).toEqual([
      409,
      expect.stringMatching(/^The site is as it was\..*Not here/),
    ])
    const { status, headers, text } = await instance.site(domain, '/')
    expect([status, headers['x-cache']]).toEqual([200, 'MISS'])
    expect(text).toContain('Tried')
    expect(text).not.toContain('Broken')
    // Meanwhile a visitor had a page of the copy, from the page cache too.
    const seen = await asOwner('cat', '--', join(home, 'public_html/seen'))
    expect(seen).toContain('Broken')
    await asOwner('rm', '--', join(home, 'public_html/seen'))
    expect(await asOwner('ls', '-A', '--', join(home, 'public_html'))).toBe(before)
    expect(await asOwner('ls', '--', join(home, 'public_html', MUST))).not.toContain('picky')
    expect(await ask(domain, 'titles')).not.toContain('Broken')
    expect(await front(domain, '/?again')).toContain('Tried')
    expect(await asOwner('ls', '-A', '--', home)).not.toContain('.berth-wordpress')
    await asOwner('rm', '--', join(home, must))
  })

  test('leaves nothing behind where it fails', async () => {
    const before = [await count('databases'), await count('domains/account')]
    await write(
      `public_html/${MUST}/picky.php`,
      `<?php add_action('template_redirect', function () { if (home_url() !== 'http://${domain}') throw new Error('Nowhere else.'); });`,
    )
    expect(await refused('staging', { path: 'public_html', domain: `two.${domain}` })).toEqual([
      409,
      expect.stringContaining('Nowhere else'),
    ])
    expect([await count('databases'), await count('domains/account')]).toEqual(before)
    const left = await asOwner('ls', '-A', '--', home)
    expect(left).not.toMatch(/\.berth-wordpress|^two\./m)
    await asOwner('rm', '--', join(home, `public_html/${MUST}/picky.php`))
    // What somebody has put there stays, and nothing is made.
    await write('public_html/addon/mine.txt', 'x')
    const taken = await refused('staging', { path: 'public_html', domain: `addon.${domain}` })
    expect(taken).toEqual([409, expect.stringContaining('mine.txt')])
    expect([await count('databases'), await count('domains/account')]).toEqual(before)
    expect(await refused('push', { path: 'public_html' })).toEqual([
      409,
      expect.stringContaining('no staging copy'),
    ])
  })

  test('is cloned into a site that visitors know as an empty one', async () => {
    const known = `known.${domain}`
    await panel.data('POST', '/api/domains', {
      ...{ account_id: ids.own, domain_name: known, domain_type: 'subdomain' },
      document_root: join(home, known),
    })
    await pages.stored(known, ['/'])
    await pages.stored(domain, ['/'])
    await order('clone', { path: 'public_html', to_account_id: ids.own, domain: known })
    await pages.madeAnew(known, ['/'], 'Harbour News')
    // Nothing has changed where it was made of.
    await pages.stored(domain, ['/'])
  })

  test('is cloned to another account, which gets none of the first one’s secrets', async () => {
    const made = await order<{ path: string; database: string }>('clone', {
      ...{ path: 'public_html', to_account_id: ids.other, domain: clone },
    })
    expect(made).toMatchObject({
      ...{ account_id: ids.other, path: clone, database: `${other}_wp`, new_domain: true },
    })
    expect(await front(clone)).toContain('Tried')
    const [live, copy] = (await Promise.all([
      ask(domain, 'options'),
      ask(clone, 'options'),
    ])) as string[][]
    expect(copy?.slice(0, 3)).toEqual([`http://${clone}`, `http://${clone}`, '1'])
    expect(copy?.[3]).not.toBe(live?.[3])
    const root = join(instance.config.paths.home_base, other, clone)
    const foreign = await mustRun('find', [root, '!', '-user', other])
    expect(foreign.stdout).toBe('')
    const config = (await mustRun('cat', ['--', join(root, 'wp-config.php')])).stdout
    const own = await asOwner('cat', '--', join(home, 'public_html/wp-config.php'))
    const secret = /DB_PASSWORD', '([^']+)'/.exec(own)?.[1]
    expect(secret).toHaveLength(secret!.length)
    expect(config).not.toContain(secret)
    expect(config).not.toContain(username)
    expect((await list(ids.other))[0]).toMatchObject({ path: clone, staging_of: null })
  })
})
