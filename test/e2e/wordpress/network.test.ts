import { join } from 'node:path'
import { expect, test } from 'vitest'
import { asUser } from '#adapters/node/process/as-user.ts'
import { mustRun } from '#adapters/node/process/run-command.ts'
import { randomUsername } from '#test/support/panel-client.ts'
import { instance, panel, shareInstance } from '#test/support/setups/shared-instance.ts'
import { wordpressTree } from '../support/wordpress-tree.ts'

const tree = await wordpressTree()
const username = randomUsername()
const domain = `${username}.example.com`
const shop = `shop.${domain}`
const brand = `${username}-brand.example`
const staging = `staging.${domain}`
let accountId = 0
let home = ''
let uid = 0

/** Makes a network of the site, and sites of it, as its owner would in the administration. */
const MAKE = `<?php
add_action('init', function () {
  $what = $_GET['make'] ?? null;
  if ($what === null) return;
  header('cache-control: no-store');
  global $wpdb;
  require_once ABSPATH . 'wp-admin/includes/upgrade.php';
  if ($what === 'network') {
    foreach ($wpdb->tables('ms_global') as $table => $name) $wpdb->$table = $name;
    install_network();
    die(json_encode(populate_network(1, $_GET['domain'], 'c@example.com', 'Harbours', '/', false)));
  }
  if ($what === 'site') die(json_encode(wpmu_create_blog($_GET['domain'], $_GET['path'], $_GET['title'], 1, ['public' => 1])));
  if ($what === 'post') die(json_encode(wp_insert_post(['post_title' => $_GET['title'], 'post_status' => 'publish', 'post_content' => $_GET['text'] ?? ''])));
  if ($what === 'text') die(json_encode(get_post($_GET['id'])->post_content));
  if ($what === 'titles') die(json_encode(array_map(fn ($p) => $p->post_title, get_posts(['numberposts' => 50]))));
  if ($what === 'put') { update_option('kept', ['deep' => ['in' => serialize([$_GET['text']])], 'json' => json_encode([$_GET['text']]), 'mail' => 'a@' . parse_url($_GET['text'], PHP_URL_HOST), 'bare' => substr($_GET['text'], 6)]); die('1'); }
  if ($what === 'kept') die(json_encode(get_option('kept')));
  if ($what === 'sql') { $wpdb->query(base64_decode($_GET['sql'])); die(json_encode($wpdb->last_error)); }
  if ($what === 'told') die(json_encode([
    array_map(fn ($site) => [$site->domain, $site->path, get_blog_option($site->id, 'home'), get_blog_option($site->id, 'blog_public')], get_sites()),
    [get_network()->domain, get_network()->path, network_site_url(), get_user_meta(1, 'source_domain', true)],
  ]));
}, 1);
`
const RULES = `# BEGIN WordPress
RewriteEngine On
RewriteBase /
RewriteRule ^index\\.php$ - [L]
RewriteRule ^([_0-9a-zA-Z-]+/)?wp-admin$ $1wp-admin/ [R=301,L]
RewriteCond %{REQUEST_FILENAME} -f [OR]
RewriteCond %{REQUEST_FILENAME} -d
RewriteRule ^ - [L]
RewriteRule ^([_0-9a-zA-Z-]+/)?(wp-(content|admin|includes).*) $2 [L]
RewriteRule ^([_0-9a-zA-Z-]+/)?(.*\\.php)$ $2 [L]
RewriteRule . index.php [L]
# END WordPress
`

const write = (path: string, content: string): Promise<unknown> =>
  panel.data('POST', '/api/files/write', { account_id: accountId, path, content })
const asOwner = async (program: string, ...args: string[]): Promise<string> => {
  const run = asUser({ uid, gid: uid, groups: 'none' }, program, args)
  return (await mustRun(run.program, run.args, { cwd: home })).stdout
}
const front = async (host: string, path = '/'): Promise<string> => {
  const { status, text } = await instance.site(host, path)
  expect([host, path, status]).toEqual([host, path, 200])
  return text
}
const make = async (host: string, query: string, path = '/'): Promise<unknown> =>
  JSON.parse(await front(host, `${path}?${query}&at=${Date.now()}`))
const sql = async (statement: string): Promise<void> => {
  const text = encodeURIComponent(Buffer.from(statement).toString('base64'))
  expect(await make(domain, `make=sql&sql=${text}`)).toBe('')
}
const copy = (what: string, body: object) =>
  panel.call('POST', `/api/wordpress/${accountId}/${what}`, body)
const config = (root = 'public_html') => asOwner('cat', '--', join(home, root, 'wp-config.php'))
const withConstants = async (lines: Record<string, string>): Promise<void> => {
  const text = Object.entries(lines).map(([name, code]) => `define('${name}', ${code});`)
  const [first = '', ...rest] = (await config()).split('\n')
  await write('public_html/wp-config.php', [first, ...text, ...rest].join('\n'))
}
const count = async (what: string): Promise<number> =>
  (await panel.data<unknown[]>('GET', `/api/${what}/${accountId}`)).length
const post = async (host: string, title: string, text: string, path = '/'): Promise<number> =>
  Number(await make(host, `make=post&title=${title}&text=${encodeURIComponent(text)}`, path))
const textOf = (host: string, id: number, path = '/') => make(host, `make=text&id=${id}`, path)
const told = (host: string, path = '/') => make(host, 'make=told', path)
const alias = (name: string) =>
  panel.data('POST', '/api/domains', {
    ...{ account_id: accountId, domain_name: name, domain_type: 'alias' },
    document_root: join(home, 'public_html'),
  })

shareInstance({
  business: true,
  append: `[wordpress]\nofficial = false\nsources = [${JSON.stringify(tree)}]`,
})

test('a site that became a network', async () => {
  const account = await panel.data<{ id: number }>('POST', '/api/accounts', {
    ...{ username, domain, password: `Pw-${username}-8x`, plan: 'pro' },
    email: `${username}@example.com`,
  })
  accountId = account.id
  home = join(instance.config.paths.home_base, username)
  uid = Number((await mustRun('id', ['-u', '--', username])).stdout)
  await panel.data('POST', `/api/wordpress/${accountId}`, {
    ...{ domain, title: 'Harbour News', admin_user: 'chief', admin_email: 'c@example.com' },
    admin_password: 'A long password',
  })
  await asOwner('mkdir', '-p', '--', join(home, 'public_html/wp-content/mu-plugins'))
  await write('public_html/wp-content/mu-plugins/make.php', MAKE)
  expect(await make(domain, `make=network&domain=${domain}`)).toBe(true)
  await withConstants({
    ...{ MULTISITE: 'true', SUBDOMAIN_INSTALL: 'false', DOMAIN_CURRENT_SITE: `'${domain}'` },
    ...{ PATH_CURRENT_SITE: "'/'", SITE_ID_CURRENT_SITE: '1', BLOG_ID_CURRENT_SITE: '1' },
  })
  await write('public_html/.htaccess', RULES)
  const site = `make=site&domain=${domain}&path=/second/&title=Second+Harbour`
  expect(await make(domain, site)).toBe(2)
  expect(await front(domain, '/second/')).toContain('Second Harbour')
})

test('is copied with all its sites, each at its new address', async () => {
  const made = await copy('staging', { path: 'public_html', domain: staging, directory: 'try' })
  expect([made.status, made.body]).toMatchObject([200, {}])
  expect(made.body.data).toMatchObject({ names: [], made: [] })
  expect(await front(staging, '/try/')).toContain('Harbour News')
  const second = await front(staging, '/try/second/')
  expect(second).toContain('Second Harbour')
  // Names that pages of the copy lead to.
  expect(second).not.toContain(`//${domain}/`)
  const url = `http://${staging}/try`
  expect(await told(staging, '/try/')).toEqual([
    [
      [staging, '/try/', url, '0'],
      [staging, '/try/second/', `${url}/second`, '0'],
    ],
    [staging, '/try/', `${url}/`, staging],
  ])
  expect(await told(domain)).toMatchObject([
    [
      [domain, '/', `http://${domain}`, '1'],
      [domain, '/second/', `http://${domain}/second`, '1'],
    ],
    [domain, '/', `http://${domain}/`, domain],
  ])
})

test('goes back with its files, and with the tables of one site', async () => {
  const path = `${staging}/try`
  await write(`${path}/wp-content/new.txt`, 'from the copy')
  const files = await copy('push', { path, database: false })
  expect([files.status, files.body]).toMatchObject([200, {}])
  expect((await instance.site(domain, '/wp-content/new.txt')).text).toBe('from the copy')
  const id = await post(staging, 'Tried', `At http://${staging}/try/second/here`, '/try/second/')
  const tables = ['wp_2_posts', 'wp_2_postmeta']
  const pushed = await copy('push', { path, files: false, tables })
  expect([pushed.status, pushed.body]).toMatchObject([200, { data: { tables } }])
  expect(await make(domain, 'make=titles', '/second/')).toContain('Tried')
  expect(await textOf(domain, id, '/second/')).toBe(`At http://${domain}/second/here`)
})

test('gets sites with names of their own, which a copy has below its own name', async () => {
  for (const name of [shop, brand]) {
    await alias(name)
    expect(await make(domain, `make=site&domain=${name}&path=/&title=${name}`)).toBeGreaterThan(2)
  }
  await make(shop, `make=put&text=https://${brand}/about`)
  const link = await post(
    shop,
    'Link',
    `See http://${shop}/here, http://${shop}.test/ and //${brand}/x, "https://${brand}:/y"`,
  )
  await sql(
    `CREATE TABLE wp_domain_mapping (id BIGINT AUTO_INCREMENT PRIMARY KEY, blog_id BIGINT, domain VARCHAR(255), active TINYINT)`,
  )
  await sql(
    `INSERT INTO wp_domain_mapping (blog_id, domain, active) VALUES (3, 'Mapped.Example', 1)`,
  )
  await withConstants({ COOKIE_DOMAIN: `'.${domain}'`, NOBLOGREDIRECT: `'http://${shop}/gone'` })
  const refused = await copy('staging', {
    ...{ path: 'public_html', domain: `two.${domain}`, directory: 'try' },
  })
  expect([refused.status, refused.body.error]).toEqual([400, expect.stringMatching(/^directory:/)])
  const to = `two.${domain}`
  const made = await copy('staging', { path: 'public_html', domain: to })
  const label = brand.replace('.', '-')
  const names = [`shop.${to}`, `${label}.${to}`, `mapped-example.${to}`]
  expect([made.status, made.body]).toMatchObject([
    200,
    {
      data: {
        made: names,
        names: [shop, brand, 'mapped.example'].map((from, at) => ({
          ...{ from, to: `http://${names[at]}/` },
        })),
      },
    },
  ])
  const [copyShop = '', copyBrand = ''] = names
  expect(await told(to)).toEqual([
    [
      [to, '/', `http://${to}`, '0'],
      [to, '/second/', `http://${to}/second`, '0'],
      [copyShop, '/', `http://${copyShop}`, '0'],
      [copyBrand, '/', `http://${copyBrand}`, '0'],
    ],
    [to, '/', `http://${to}/`, to],
  ])
  expect(await make(copyShop, 'make=kept')).toEqual({
    deep: { in: `a:1:{i:0;s:${`http://${copyBrand}/about`.length}:"http://${copyBrand}/about";}` },
    json: JSON.stringify([`http://${copyBrand}/about`]).replaceAll('/', '\\/'),
    ...{ mail: `a@${brand}`, bare: `//${copyBrand}/about` },
  })
  expect(await textOf(copyShop, link)).toBe(
    `See http://${copyShop}/here, http://${shop}.test/ and //${copyBrand}/x, "http://${copyBrand}:/y"`,
  )
  const text = await config(to)
  expect(text).toContain(`define('COOKIE_DOMAIN', '.${to}');`)
  expect(text).toContain(`'http://${copyShop}/gone'`)
  expect(text).toContain(`define('DOMAIN_CURRENT_SITE', '${to}');`)
  const [sites] = (await told(domain)) as [string[][]]
  expect(sites.slice(2)).toEqual([
    [shop, '/', `http://${shop}`, '1'],
    [brand, '/', `http://${brand}`, '1'],
  ])
})

test('goes back with all of its sites, also with one that was added in the copy', async () => {
  const to = `two.${domain}`
  const fresh = `new.${to}`
  await panel.data('POST', '/api/domains', {
    ...{ account_id: accountId, domain_name: fresh, domain_type: 'alias' },
    document_root: join(home, to),
  })
  expect(await make(to, `make=site&domain=${fresh}&path=/&title=Fresh`)).toBe(5)
  const id = await post(`shop.${to}`, 'Back', `From http://new.${to}/ to http://shop.${to}/a`)
  const before = await told(domain)
  const pushed = await copy('push', { path: to })
  expect([pushed.status, pushed.body]).toMatchObject([
    // What has no domain is told.
    ...[200, { data: { without_domain: [`new.${domain}`, 'mapped.example'] } }],
  ])
  const [sites, network] = before as [unknown[], unknown]
  const added = [`new.${domain}`, '/', `http://new.${domain}`, expect.any(String)]
  expect(await told(domain)).toEqual([[...sites, added], network])
  expect(await textOf(shop, id)).toBe(`From http://new.${domain}/ to http://${shop}/a`)
  expect(await make(shop, 'make=kept')).toMatchObject({
    ...{ mail: `a@${brand}`, bare: `//${brand}/about` },
  })
  expect(await config()).toContain(`define('COOKIE_DOMAIN', '.${domain}');`)
  await sql(`DELETE FROM wp_domain_mapping`)

  // A site that came since the copy was made is not lost without a word.
  expect(await make(domain, `make=site&domain=${domain}&path=/late/&title=Late`)).toBe(6)
  const refused = await copy('push', { path: to })
  expect([refused.status, refused.body.error]).toEqual([
    ...[409, expect.stringContaining(`sites that the copy has not: ${domain}/late/.`)],
  ])
  const one = await copy('push', { path: to, files: false, tables: ['wp_3_posts'] })
  expect([one.status, one.body]).toMatchObject([200, {}])
  expect(await front(domain, '/late/')).toContain('Late')
})

test('whose names are none, or are decided elsewhere, is not copied, and nothing is left', async () => {
  const before = [await count('databases'), await count('domains/account')]
  const to = `bad.${domain}`
  for (const name of ['a b.example', 'x.example:80', "x'; DROP TABLE y", 'a..b.example', '']) {
    const text = name.replaceAll("'", "''")
    await sql(`UPDATE wp_blogs SET domain = '${text}' WHERE blog_id = 6`)
    const refused = await copy('staging', { path: 'public_html', domain: to })
    expect([refused.status, refused.body.error]).toEqual([
      ...[409, expect.stringContaining('has the name')],
    ])
  }
  await sql(`UPDATE wp_blogs SET domain = '${domain}' WHERE blog_id = 6`)
  await write(
    'public_html/wp-content/sunrise.php',
    `<?php if (strpos($_SERVER['HTTP_HOST'], 'shop.bad.') === 0) { http_response_code(404); exit; }`,
  )
  await withConstants({ SUNRISE: "'on'" })
  const refused = await copy('staging', { path: 'public_html', domain: to })
  expect([refused.status, refused.body.error]).toEqual([
    409,
    expect.stringMatching(/does not find its site 3 at http:\/\/shop\.bad\..*sunrise\.php/),
  ])
  await asOwner('rm', '--', join(home, 'public_html/wp-content/sunrise.php'))
  expect([await count('databases'), await count('domains/account')]).toEqual(before)
})

test('several networks of one database are copied together, with one wildcard for all', async () => {
  const second = `second-${username}.example`
  await alias(second)
  await sql(`INSERT INTO wp_site (domain, path) VALUES ('${second}', '/')`)
  await sql(
    `INSERT INTO wp_sitemeta (site_id, meta_key, meta_value) SELECT 2, meta_key, REPLACE(meta_value, '${domain}', '${second}') FROM wp_sitemeta WHERE site_id = 1`,
  )
  await sql(`UPDATE wp_blogs SET site_id = 2, domain = '${second}' WHERE blog_id = 4`)
  await sql(
    `UPDATE wp_4_options SET option_value = 'http://${second}' WHERE option_name IN ('siteurl', 'home')`,
  )
  const text = await config()
  await write(
    'public_html/wp-config.php',
    text
      .replace(/define\('(?:DOMAIN|PATH)_CURRENT_SITE'.*\n/g, '')
      .replace(/define\('SUNRISE'.*\n/, ''),
  )
  expect(((await told(second)) as string[][])[1]?.slice(0, 2)).toEqual([second, '/'])
  const to = `many.${domain}`
  const made = await copy('staging', { path: 'public_html', domain: to, wildcard: true })
  expect([made.status, made.body]).toMatchObject([200, { data: { made: [`*.${to}`] } }])
  const name = `${second.replace('.', '-')}.${to}`
  const [sites, network] = (await told(name)) as [string[][], string[]]
  expect(network.slice(0, 3)).toEqual([name, '/', `http://${name}/`])
  expect(sites.map(([host]) => host)).toContain(name)
  expect(((await told(to)) as string[][])[1]?.[0]).toBe(to)
  expect(await front(`shop.${to}`)).toContain(`http://shop.${to}`)
})
