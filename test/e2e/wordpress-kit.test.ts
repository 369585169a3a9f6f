import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { asUser } from '#adapters/node/process/as-user.ts'
import { mustRun, runCommand } from '#adapters/node/process/run-command.ts'
import { compareCore } from '#adapters/node/agent/wordpress/compare-core.ts'
import { randomUsername } from '#test/support/panel-client.ts'
import { instance, panel, shareInstance } from '#test/support/setups/shared-instance.ts'
import { BrowserLike } from './support/browser-like.ts'
import { cachedPages, visitInside } from './support/cached-pages.ts'
import { packageSums, wordpressTree } from './support/wordpress-tree.ts'

const tree = await wordpressTree()
const username = randomUsername()
const domain = `${username}.example.com`
const shop = `shop.${domain}`
const password = `Pw-${username}-8x`
let accountId = 0
let home = ''
let uid = 0

interface Listed {
  path: string
  version: string
  newest: string
  outdated: boolean
  outdated_core: boolean
  plugins: { slug: string; name: string; version: string; outdated: boolean }[]
  themes: { slug: string }[]
}
const list = (): Promise<Listed[]> => panel.data('GET', `/api/wordpress/${accountId}?sort=path`)
/** Runs a program as the account, as its owner would over SSH. */
const asOwner = async (program: string, ...args: string[]): Promise<string> => {
  const run = asUser({ uid, gid: uid, groups: 'none' }, program, args)
  return (await mustRun(run.program, run.args, { cwd: home })).stdout
}
const write = (path: string, content: string): Promise<unknown> =>
  panel.data('POST', '/api/files/write', { account_id: accountId, path, content })

shareInstance({ append: `[wordpress]\nofficial = false\nsources = [${JSON.stringify(tree)}]` })

describe('the WordPress kit', () => {
  test('what the administrator has placed can be installed', async () => {
    const sources = await panel.data<{ version: string }[]>('GET', '/api/wordpress/sources')
    expect(sources).toEqual([
      {
        ...{ version: expect.stringMatching(/^6\.\d/), locales: [] },
        ...{ localised: null, source: 'folder' },
      },
    ])
  })

  test('a WordPress that an owner copied is found, with what is outdated in it', async () => {
    const account = await panel.data<{ id: number }>('POST', '/api/accounts', {
      ...{ username, domain, password, email: `${username}@example.com`, plan: 'pro' },
    })
    accountId = account.id
    home = join(instance.config.paths.home_base, username)
    uid = Number((await mustRun('id', ['-u', '--', username])).stdout)
    expect(await list()).toEqual([])
    await panel.data('POST', '/api/domains', {
      ...{ account_id: accountId, domain_name: shop, domain_type: 'subdomain' },
      document_root: join(home, 'shop'),
    })
    await asOwner('mkdir', '-p', '--', join(home, 'public_html/old/blog'))
    await asOwner('cp', '-r', '--', `${tree}/.`, join(home, 'public_html/old/blog'))
    const [found] = await list()
    expect(found).toMatchObject({
      ...{ domain, path: 'public_html/old/blog', directory: 'old/blog' },
      ...{ url: `http://${domain}/old/blog/`, outdated: false },
    })
    expect(found!.newest).toBe(found!.version)
    expect(found!.plugins.map(({ slug }) => slug)).toContain('akismet')
    expect(found!.themes.map(({ slug }) => slug)).toContain('twentytwentythree')

    const at = 'public_html/old/blog'
    await write(`${at}/wp-includes/version.php`, "<?php\n$wp_version = '6.0.3';\n")
    await write(
      `${at}/wp-content/plugins/akismet/akismet.php`,
      '<?php\n/**\n * Plugin Name: Akismet\n * Version: 1.0\n */\n',
    )
    const [older] = await list()
    expect(older).toMatchObject({ version: '6.0.3', outdated: true })
    expect(older!.plugins).toContainEqual(
      expect.objectContaining({ slug: 'akismet', version: '1.0', outdated: true }),
    )
  })

  test('what an owner puts there to mislead is passed over', async () => {
    const at = 'public_html/old/blog'
    await asOwner('mkfifo', '--', join(home, at, 'wp-content/plugins/waits.php'))
    await asOwner('ln', '-s', '--', '/etc', join(home, at, 'wp-content/plugins/etc'))
    await asOwner('ln', '-s', '--', '/etc/passwd', join(home, at, 'wp-content/plugins/passwd.php'))
    await asOwner('ln', '-s', '--', '.', join(home, 'public_html/again'))
    await asOwner('mkdir', '-p', '--', join(home, 'public_html/a/b/c/wp-includes'))
    await write('public_html/a/b/c/wp-includes/version.php', "<?php $wp_version = '1.0';")
    await write(`${at}/wp-includes/version.php`, "<?php $wp_version = '<b>6</b>';")
    const found = await list()
    expect(found.map(({ path }) => path)).toEqual([at])
    expect(found[0]).toMatchObject({ version: null, outdated: true })
    expect(found[0]!.plugins.map(({ slug }) => slug)).not.toContain('passwd.php')
  })

  const NEW = {
    ...{ title: 'Harbour\'s <News> "1"', admin_user: 'chief', admin_email: 'chief@example.com' },
    admin_password: "It's \\ a $secret",
  }

  test('a WordPress is installed into an empty site, and answers', async () => {
    const made = await panel.data<{ database: string; version: string }>(
      'POST',
      `/api/wordpress/${accountId}`,
      { ...NEW, domain: shop },
    )
    expect(made).toMatchObject({
      ...{ domain: shop, path: 'shop', directory: '', url: `http://${shop}/`, user: 'chief' },
      database: `${username}_wp`,
    })
    const front = await instance.site(shop, '/')
    expect([front.status, front.text]).toEqual([200, expect.stringContaining('Harbour')])
    expect(front.text).toContain('&lt;News&gt;')
    const post = await instance.site(shop, '/hello-world/')
    expect(post.status).toBe(200)
    const config = join(home, 'shop/wp-config.php')
    const { stdout } = await mustRun('stat', ['-c', '%a %U', '--', config])
    expect(stdout.trim()).toBe(`600 ${username}`)
    expect((await instance.site(shop, '/wp-config.php')).text).toBe('')
    const left = await asOwner('ls', '-A', '--', home)
    expect(left).not.toContain('.berth-wordpress')
    expect(await list()).toContainEqual(
      expect.objectContaining({ path: 'shop', version: made.version, outdated: false }),
    )
  })

  test('its administrator has the password that was said', async () => {
    const editor = new BrowserLike(instance, shop)
    await editor.get('/wp-login.php')
    const login = await editor.post('/wp-login.php', {
      ...{ log: 'chief', pwd: NEW.admin_password, 'wp-submit': 'Log In', testcookie: '1' },
      redirect_to: `http://${shop}/wp-admin/`,
    })
    expect(login.status).toBe(302)
    expect(editor.cookieNames().some((name) => name.startsWith('wordpress_logged_in_'))).toBe(true)
  })

  test('one in a folder has its own database and addresses', async () => {
    const made = await panel.data('POST', `/api/wordpress/${accountId}`, {
      ...{ ...NEW, domain: shop, directory: 'news/today' },
    })
    expect(made).toMatchObject({ path: 'shop/news/today', database: `${username}_wp2` })
    const post = await instance.site(shop, '/news/today/hello-world/')
    expect(post.status).toBe(200)
    expect((await instance.site(shop, '/hello-world/')).status).toBe(200)
  })

  test('nothing is made where something is, and nothing stays of what fails', async () => {
    const taken = await panel.call('POST', `/api/wordpress/${accountId}`, { ...NEW, domain: shop })
    expect(taken.status).toBe(409)
    const databases = async () =>
      (await panel.data<unknown[]>('GET', `/api/databases/${accountId}`)).length
    expect(await databases()).toBe(2)
    // WordPress itself takes no such name.
    const failed = await panel.call('POST', `/api/wordpress/${accountId}`, {
      ...{ ...NEW, domain: shop, directory: 'bad', admin_user: 'a  b' },
    })
    expect(failed.status).toBe(409)
    expect(await databases()).toBe(2)
    expect(await asOwner('ls', '-A', '--', home, join(home, 'shop'))).not.toMatch(/\.berth-w|bad/)
  })

  const ticketFor = async (path: string, user?: string): Promise<{ url: URL; user: string }> => {
    const order = { path, ...(user === undefined ? {} : { user }) }
    const login = `/api/wordpress/${accountId}/login`
    const opened = await panel.data<{ url: string; user: string }>('POST', login, order)
    return { url: new URL(opened.url), user: opened.user }
  }
  const send = (browser: BrowserLike, url: URL) =>
    browser.post(url.pathname, { ticket: url.hash.slice(1) })

  test('an administrator is let in by a ticket, once, and nowhere is a word of it', async () => {
    const { url, user } = await ticketFor('shop')
    expect([user, url.host, url.search]).toEqual(['chief', shop, ''])
    const browser = new BrowserLike(instance, shop)
    const page = await browser.get(url.pathname)
    expect(page.headers['content-security-policy']).toContain("default-src 'none'")
    expect(page.headers['cache-control']).toBe('no-store')
    expect(page.text).not.toContain(url.hash.slice(1))
    const entered = await send(browser, url)
    expect([entered.status, entered.headers['location']]).toEqual([303, `http://${shop}/wp-admin/`])
    const dashboard = await browser.get('/wp-admin/')
    expect([dashboard.status, dashboard.text]).toEqual([200, expect.stringContaining('Dashboard')])
    expect(dashboard.text).toContain('Howdy, <span class="display-name">chief')
    expect((await send(new BrowserLike(instance, shop), url)).status).toBe(404)
    const { log_dir, state_dir } = instance.config.paths
    const grep = await runCommand('grep', [
      ...['-rlF', '-e', url.hash.slice(1), '--', log_dir, state_dir, join(home, 'shop')],
    ])
    expect(grep.stdout).toBe('')
  })

  test('a ticket is good at its own site alone, and for a short time', async () => {
    const { url } = await ticketFor('shop')
    expect((await send(new BrowserLike(instance, domain), url)).status).toBe(404)
    // Whatever came of it, it is used.
    expect((await send(new BrowserLike(instance, shop), url)).status).toBe(404)
    const fresh = await ticketFor('shop')
    const foreign = await instance.site(shop, fresh.url.pathname, {
      method: 'POST',
      headers: {
        ...{ origin: 'http://evil.example', 'content-type': 'application/x-www-form-urlencoded' },
      },
      body: `ticket=${fresh.url.hash.slice(1)}`,
    })
    expect(foreign.status).toBe(403)
    expect((await send(new BrowserLike(instance, shop), fresh.url)).status).toBe(303)
  })

  test('administrators are those of the site, and nobody else is let in', async () => {
    const path = `/api/wordpress/${accountId}`
    const people = await panel.data('GET', `${path}/administrators?path=shop`)
    expect(people).toEqual([{ id: 1, login: 'chief', email: 'chief@example.com' }])
    const nobody = await panel.call('POST', `${path}/login`, { path: 'shop', user: 'other' })
    expect(nobody.status).toBe(404)
    // One that is broken says so, and what it says is bounded.
    await write('shop/news/today/wp-config.php', "<?php die(str_repeat('broken ', 9999));")
    const broken = await panel.call('POST', `${path}/login`, { path: 'shop/news/today' })
    expect(broken.status).toBe(409)
    expect(JSON.stringify(broken.body).length).toBeLessThan(1000)
  })

  test('a site that answers in place of its WordPress can put nothing into what browsers get', async () => {
    const forge = (data: object) =>
      write(
        'shop/news/today/wp-config.php',
        `<?php
      file_put_contents('php://fd/3', '${JSON.stringify({ ok: true, data })}');
      posix_kill(posix_getpid(), 9);`,
      )
    await forge({ users: [{ id: 1, login: 'chief', email: 'c@example.com' }] })
    const cookie = { name: 'a', value: 'b', path: '/', secure: false }
    const answers = [
      {
        cookies: [{ ...cookie, path: '/\\r\\nx-forged: 1' }],
        location: `http://${shop}/`,
        domain: '',
      },
      { cookies: [{ ...cookie, name: 'a=b; c' }], location: `http://${shop}/`, domain: '' },
      { cookies: [cookie], location: 'http://evil.example/', domain: '' },
      { cookies: [cookie], location: `http://${shop}/`, domain: 'x; Secure' },
    ]
    for (const answer of answers) {
      await forge({ users: [{ id: 1, login: 'chief', email: 'c@example.com' }] })
      const { url } = await ticketFor('shop/news/today')
      await forge(answer)
      const entered = await send(new BrowserLike(instance, shop), url)
      expect([entered.status, entered.setCookies]).toEqual([503, []])
      expect(entered.headers['x-forged']).toBeUndefined()
    }
  })

  const care = <T>(method: string, what: string, order: Record<string, unknown> = {}) => {
    const at = `/api/wordpress/${accountId}/${what}`
    return method === 'GET'
      ? panel.data<T>('GET', `${at}?path=shop`)
      : panel.data<T>(method, at, { path: 'shop', ...order })
  }
  /** Scripts that every request of the site runs. */
  const must = 'shop/wp-content/mu-plugins'
  const configText = () => asOwner('cat', '--', join(home, 'shop/wp-config.php'))

  test('debugging writes to a file that no visitor can read, and is taken back', async () => {
    const before = await configText()
    await panel.data('POST', '/api/files/mkdir', { account_id: accountId, path: must })
    expect(await care('GET', 'settings')).toEqual({ debug: false, cron: 'visitors' })
    expect(await care('PATCH', 'settings', { debug: true })).toMatchObject({ debug: true })
    await write(`${must}/noisy.php`, "<?php error_log('a noise');")
    await instance.site(shop, '/?noise')
    const log = () => asOwner('cat', '--', join(home, 'logs/wordpress-debug.log'))
    await expect.poll(() => log().catch(() => '')).toContain('a noise')
    await panel.data('DELETE', '/api/files/delete', {
      ...{ account_id: accountId, path: `${must}/noisy.php` },
    })
    expect(await care('PATCH', 'settings', { debug: false })).toMatchObject({ debug: false })
    expect(await configText()).toBe(before)
  })

  test('what is due is run by a cron job, and by visitors again', async () => {
    expect(await care('PATCH', 'settings', { cron: 'berth' })).toEqual({
      ...{ debug: false, cron: 'berth' },
    })
    const [job] = await panel.data<{ id: number; command: string[] }[]>(
      'GET',
      `/api/cron/${accountId}`,
    )
    expect(job?.command).toEqual(['php', 'shop/wp-cron.php'])
    const runs = `/api/cron/${accountId}/${job!.id}`
    await panel.data('POST', `${runs}/run`)
    const outcome = async () =>
      (await panel.data<{ outcome: string }[]>('GET', `${runs}/runs`))[0]?.outcome
    await expect.poll(outcome, { timeout: 30_000 }).toBe('ok')
    expect(await configText()).toContain("define('DISABLE_WP_CRON', true);")
    expect(await care('PATCH', 'settings', { cron: 'visitors' })).toMatchObject({
      cron: 'visitors',
    })
    expect(await panel.data('GET', `/api/cron/${accountId}`)).toEqual([])
    expect(await configText()).not.toContain('DISABLE_WP_CRON')
  })

  test('a configuration that is no PHP stays as it is', async () => {
    await asOwner('cp', '--', join(home, 'shop/wp-config.php'), join(home, 'kept.php'))
    await write('shop/wp-config.php', "<?php define('WP_DEBUG', ")
    const at = `/api/wordpress/${accountId}/settings`
    const refused = await panel.call('PATCH', at, { path: 'shop', debug: true })
    expect(refused.status).toBe(409)
    expect(await configText()).toBe("<?php define('WP_DEBUG', ")
    await asOwner('cp', '--', join(home, 'kept.php'), join(home, 'shop/wp-config.php'))
  })

  test('a new password is that of the administrator, and ends his sessions', async () => {
    const browser = new BrowserLike(instance, shop)
    await send(browser, (await ticketFor('shop')).url)
    expect((await browser.get('/wp-admin/')).status).toBe(200)
    const fresh = "An'other \\ one"
    expect(await care('POST', 'password', { password: fresh })).toEqual({ user: 'chief' })
    expect((await browser.get('/wp-admin/')).status).toBe(302)
    const again = new BrowserLike(instance, shop)
    await again.get('/wp-login.php')
    const form = { log: 'chief', 'wp-submit': 'Log In', testcookie: '1' }
    expect((await again.post('/wp-login.php', { ...form, pwd: fresh })).status).toBe(302)
  })

  test('the core is compared with its source by checksums', async () => {
    const whole = await care<{ checked: number }>('GET', 'integrity')
    expect(whole).toEqual({
      ...{ checked: whole.checked, changed: [], missing: [], added: [], cut: false },
    })
    expect(whole.checked).toBeGreaterThan(1000)
    await write('shop/wp-login.php', '<?php // Somebody was here.\n')
    await write('shop/wp-includes/css/back.php', '<?php // And here.\n')
    await panel.data('DELETE', '/api/files/delete', {
      ...{ account_id: accountId, path: 'shop/wp-admin/about.php' },
    })
    expect(await care('GET', 'integrity')).toMatchObject({
      ...{ changed: ['wp-login.php'], missing: ['wp-admin/about.php'] },
      added: ['wp-includes/css/back.php'],
    })
    for (const file of ['wp-login.php', 'wp-admin/about.php'])
      await asOwner('cp', '--', join(tree, file), join(home, 'shop', file))
    await panel.data('DELETE', '/api/files/delete', {
      ...{ account_id: accountId, path: 'shop/wp-includes/css/back.php' },
    })
  })

  test('the checksums of the source are those of its package', async () => {
    const list = await packageSums()
    expect(list.size).toBeGreaterThan(1000)
    const found = await compareCore(tree, list)
    // What other packages bring is not in the list; nothing of it differs.
    expect(found.changed).toEqual([])
    expect(found.missing.every((path) => !list.has(path))).toBe(true)
  })

  test('its address is replaced everywhere, also in what PHP has serialised', async () => {
    const to = `https://new.${shop}`
    const php = `<?php
      add_action('init', function () {
        if (!isset($_GET['keep'])) return;
        $here = home_url();
        update_option('kept', ['deep' => ['at' => "$here/x", 'ü' => serialize([$here])], 'other' => "$here.example"]);
      });
      add_action('init', function () {
        if (isset($_GET['tell'])) die(json_encode([get_option('kept'), get_option('siteurl')]));
      }, 11);`
    await write(`${must}/keep.php`, php)
    await instance.site(shop, '/?keep=1')
    const dry = await care<{ rows: number; values: number }>('POST', 'address', {
      ...{ to, dry_run: true },
    })
    expect(dry.rows).toBeGreaterThan(2)
    expect(JSON.parse((await instance.site(shop, '/?tell=1')).text)).toMatchObject([
      ...[{ other: `http://${shop}.example` }, `http://${shop}`],
    ])
    expect(await care('POST', 'address', { to })).toEqual({ ...dry, from: `http://${shop}`, to })
    const [kept, siteurl] = JSON.parse((await instance.site(shop, '/?tell=1')).text) as [
      { deep: Record<string, string>; other: string },
      string,
    ]
    expect(siteurl).toBe(to)
    expect(kept.deep['at']).toBe(`${to}/x`)
    expect(kept.deep['ü']).toBe(`a:1:{i:0;s:${to.length}:"${to}";}`)
    expect(kept.other).toBe(`http://${shop}.example`)
    const back = { from: to, to: `http://${shop}` }
    expect(await care('POST', 'address', back)).toMatchObject({ values: dry.values })
    expect((await instance.site(shop, '/hello-world/')).status).toBe(200)
  })

  const isOlder = async () => {
    await write(
      'shop/wp-includes/version.php',
      (await versionText()).replace(/'6\.[^']*'/, "'6.0.1'"),
    )
    await write('shop/wp-includes/obsolete.php', '<?php // Of the old core.\n')
  }
  const versionText = () => asOwner('cat', '--', join(tree, 'wp-includes/version.php'))
  const PAGES = ['/', '/hello-world/']
  const pages = cachedPages(() => instance)
  /** Pages tell the version of the core that made them. */
  const madeBy = (version: string): string => `content="WordPress ${version}"`
  const shopVersion = async () => (await list()).find(({ path }) => path === 'shop')?.version

  test('the core is updated after a backup, and what the owner brought stays', async () => {
    await isOlder()
    await write(`${must}/mine.php`, "<?php define('MINE', 1);")
    expect((await list()).find(({ path }) => path === 'shop')).toMatchObject({
      ...{ version: '6.0.1', outdated_core: true },
    })
    const { newest } = (await list()).find(({ path }) => path === 'shop')!
    // Another site shows the same folder.
    await panel.data('POST', '/api/domains', {
      ...{ account_id: accountId, domain_name: `too.${domain}`, domain_type: 'subdomain' },
      document_root: join(home, 'shop'),
    })
    await write(
      `${must}/plain.php`,
      `<?php if ($_SERVER['REQUEST_URI'] === '/plain/') die("<p content=\\"WordPress $wp_version\\">");`,
    )
    await pages.stored(`too.${domain}`, ['/plain/'])
    await pages.stored(shop, PAGES)
    const updated = await care<{ backup: string }>('POST', 'update')
    await pages.madeAnew(shop, PAGES, madeBy(newest))
    await pages.madeAnew(`too.${domain}`, ['/plain/'], madeBy(newest))
    expect(updated).toEqual({ path: 'shop', from: '6.0.1', to: newest, backup: updated.backup })
    expect(await shopVersion()).toBe(newest)
    expect(await care('GET', 'integrity')).toMatchObject({ changed: [], missing: [], added: [] })
    expect((await instance.site(shop, '/hello-world/')).status).toBe(200)
    expect(await asOwner('ls', '-A', '--', home, join(home, must))).toContain('mine.php')
    expect(await asOwner('ls', '-A', '--', home)).not.toContain('.berth-wordpress')
    const backups = JSON.stringify([
      await panel.data('GET', `/api/backups/snapshots/accounts/${accountId}`),
      await panel.data('GET', `/api/backups/accounts/${accountId}`),
    ])
    expect(backups).toContain(updated.backup)
  })

  test('a site that fails with the new core gets the old one back', async () => {
    await isOlder()
    await write(
      `${must}/picky.php`,
      `<?php if ($GLOBALS['wp_version'] !== '6.0.1' && PHP_SAPI === 'cli') {
        ${visitInside(instance, shop, PAGES, 'seen')}
        throw new Error('Not with this core.');
      }`,
    )
    await pages.stored(shop, PAGES)
    const refused = await panel.call('POST', `/api/wordpress/${accountId}/update`, { path: 'shop' })
    expect([refused.status, refused.body.error]).toEqual([
      ...[409, expect.stringMatching(/put back as it was.*Not with this core/)],
    ])
    expect(await shopVersion()).toBe('6.0.1')
    expect(await asOwner('ls', '--', join(home, 'shop/wp-includes'))).toContain('obsolete.php')
    // Meanwhile a visitor had pages of the new core, from the page cache too.
    const seen = await asOwner('cat', '--', join(home, 'shop/seen'))
    expect(seen).not.toContain(madeBy('6.0.1'))
    expect(seen).toMatch(/content="WordPress 6/)
    await pages.madeAnew(shop, PAGES, madeBy('6.0.1'))
  })

  test('a site that fails once its tables were changed gets them back too', async () => {
    await write(
      `${must}/picky.php`,
      `<?php add_action('wp_upgrade', function () { update_option('blogname', 'Half done'); });
      add_action('template_redirect', function () {
        if (get_option('blogname') !== 'Half done' || PHP_SAPI !== 'cli') return;
        ${visitInside(instance, shop, PAGES, 'seen')}
        throw new Error('Tables.');
      });`,
    )
    await write(
      `${must}/old-tables.php`,
      "<?php if (!get_option('was_old')) { update_option('was_old', 1); update_option('db_version', 53000); }",
    )
    expect((await instance.site(shop, '/?old')).status).toBe(200)
    await pages.stored(shop, PAGES)
    const refused = await panel.call('POST', `/api/wordpress/${accountId}/update`, { path: 'shop' })
    expect([refused.status, refused.body.error]).toEqual([
      ...[409, expect.stringContaining('Tables.')],
    ])
    expect(await shopVersion()).toBe('6.0.1')
    expect(await asOwner('cat', '--', join(home, 'shop/seen'))).toContain('Half done')
    await pages.madeAnew(shop, PAGES, 'Harbour')
  })

  test('a site that fails already is left alone', async () => {
    await write(`${must}/picky.php`, "<?php throw new Error('As ever.');")
    const refused = await panel.call('POST', `/api/wordpress/${accountId}/update`, { path: 'shop' })
    expect([refused.status, refused.body.error]).toEqual([
      ...[409, expect.stringMatching(/^WordPress: .*As ever/)],
    ])
  })
})
