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
const make = async (host: string, query: string): Promise<unknown> =>
  JSON.parse(await front(host, `/?${query}&at=${Date.now()}`))
const copy = (what: string, body: object) =>
  panel.call('POST', `/api/wordpress/${accountId}/${what}`, body)
const config = () => asOwner('cat', '--', join(home, 'public_html/wp-config.php'))
const withConstants = async (lines: Record<string, string>): Promise<void> => {
  const text = Object.entries(lines).map(([name, code]) => `define('${name}', ${code});`)
  const [first = '', ...rest] = (await config()).split('\n')
  await write('public_html/wp-config.php', [first, ...text, ...rest].join('\n'))
}

shareInstance({ append: `[wordpress]\nofficial = false\nsources = [${JSON.stringify(tree)}]` })

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
  expect(await front(staging, '/try/')).toContain('Harbour News')
  const second = await front(staging, '/try/second/')
  expect(second).toContain('Second Harbour')
  // Names that pages of the copy lead to.
  expect(second).not.toContain(`//${domain}/`)
  const told = JSON.parse(await front(staging, `/try/?make=told&at=${Date.now()}`)) as unknown
  const url = `http://${staging}/try`
  expect(told).toEqual([
    [
      [staging, '/try/', url, '0'],
      [staging, '/try/second/', `${url}/second`, '0'],
    ],
    [staging, '/try/', `${url}/`, staging],
  ])
  expect(await make(domain, 'make=told')).toMatchObject([
    [
      [domain, '/', `http://${domain}`, '1'],
      [domain, '/second/', `http://${domain}/second`, '1'],
    ],
    [domain, '/', `http://${domain}/`, domain],
  ])
})

test('goes back with its files alone, and says why', async () => {
  const path = `${staging}/try`
  const tables = await copy('push', { path })
  expect([tables.status, tables.body.error]).toEqual([
    ...[409, expect.stringMatching(/network of sites, which share tables.*files alone/)],
  ])
  await write(`${path}/wp-content/new.txt`, 'from the copy')
  const files = await copy('push', { path, database: false })
  expect([files.status, files.body]).toMatchObject([200, {}])
  expect((await instance.site(domain, '/wp-content/new.txt')).text).toBe('from the copy')
  expect(await front(domain, '/second/')).toContain('Second Harbour')
})

test('whose sites have names of their own is not copied, which is said before anything is made', async () => {
  const databases = async () =>
    (await panel.data<unknown[]>('GET', `/api/databases/${accountId}`)).length
  const before = await databases()
  const site = `make=site&domain=mapped.example&path=/&title=Mapped`
  expect(await make(domain, site)).toBe(3)
  const refused = await copy('staging', { path: 'public_html', domain: `other.${domain}` })
  expect([refused.status, refused.body.error]).toEqual([
    ...[409, expect.stringMatching(/names of their own \(mapped\.example\).*Tools, Export/)],
  ])
  expect(await databases()).toBe(before)
})
