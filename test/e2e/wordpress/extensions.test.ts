import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { asUser } from '#adapters/node/process/as-user.ts'
import { mustRun } from '#adapters/node/process/run-command.ts'
import { makeZip } from '#test/support/make-zip.ts'
import type { ZipMember } from '#test/support/make-zip.ts'
import { randomUsername } from '#test/support/panel-client.ts'
import { instance, panel, shareInstance } from '#test/support/setups/shared-instance.ts'
import { wordpressTree } from '../support/wordpress-tree.ts'

const tree = await wordpressTree()
const placed = await mkdtemp(join(tmpdir(), 'berth-packages-'))
const username = randomUsername()
const domain = `${username}.example.com`
const password = `Pw-${username}-8x`
let accountId = 0
let home = ''
let uid = 0

shareInstance({
  append: `[wordpress]\nofficial = false\nsources = [${JSON.stringify(tree)}]\npackages = [${JSON.stringify(placed)}]`,
})

interface Result {
  kind: string
  slug: string
  from: string
  to: string
  outcome: string
  error: string | null
}
interface Listed {
  path: string
  plugins: { slug: string; version: string; newest: string; outdated: boolean }[]
  themes: { slug: string; version: string; newest: string; outdated: boolean }[]
}
const PLUGINS = 'public_html/wp-content/plugins'
const THEMES = 'public_html/wp-content/themes'
const MUST = 'public_html/wp-content/mu-plugins'

const asOwner = async (program: string, ...args: string[]): Promise<string> => {
  const run = asUser({ uid, gid: uid, groups: 'none' }, program, args)
  return (await mustRun(run.program, run.args, { cwd: home })).stdout
}
const read = (path: string) => asOwner('cat', '--', join(home, path))
const write = (path: string, content: string): Promise<unknown> =>
  panel.data('POST', '/api/files/write', { account_id: accountId, path, content })
const at = () => `/api/wordpress/${accountId}/updates`
const updates = async () =>
  (
    await panel.data<{ updates: { slug: string; origin: string; newest: string }[] }>(
      'GET',
      `${at()}?path=public_html`,
    )
  ).updates
const update = (order: object = {}) =>
  panel.data<{ backup: string; results: Result[] }>('POST', at(), {
    path: 'public_html',
    ...order,
  })
const site = async (): Promise<Listed> =>
  (await panel.data<Listed[]>('GET', `/api/wordpress/${accountId}`))[0]!
const versionOf = async (slug: string) =>
  (await site()).plugins.find((one) => one.slug === slug)?.version
const front = async () => {
  const { status, text } = await instance.site(domain, '/')
  return { status, text }
}

/** A plugin of the test's own in a version, with what its main file does. */
const pluginText = (version: string, code: string): string =>
  `<?php\n/**\n * Plugin Name: Picky\n * Version: ${version}\n */\n${code}\n`
const place = (name: string, members: readonly ZipMember[]) =>
  writeFile(join(placed, name), makeZip(members))
const placePicky = (version: string, code: string) =>
  place('picky.zip', [{ name: 'picky/picky.php', content: pluginText(version, code) }])
const footer = (text: string) => `add_action('wp_footer', function () { echo '${text}'; });`

/** Debian's Akismet and theme, as they were some versions ago. */
const isOlder = async () => {
  const main = join(tree, 'wp-content/plugins/akismet/akismet.php')
  await write(
    `${PLUGINS}/akismet/akismet.php`,
    (await readFile(main, 'utf8')).replace(/Version: [0-9.]+/, 'Version: 1.0'),
  )
  await write(`${PLUGINS}/akismet/obsolete.php`, '<?php // Of the old one.\n')
}

/** What the site's WordPress is told to fetch, by path. */
const onOffer = new Map<string, Buffer>()
const server = createServer(({ url }, response) => {
  const body = onOffer.get(url ?? '')
  response.writeHead(body === undefined ? 404 : 200).end(body)
})

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const account = await panel.data<{ id: number }>('POST', '/api/accounts', {
    ...{ username, domain, password, email: `${username}@example.com`, plan: 'pro' },
  })
  accountId = account.id
  home = join(instance.config.paths.home_base, username)
  uid = Number((await mustRun('id', ['-u', '--', username])).stdout)
  await panel.data('POST', `/api/wordpress/${accountId}`, {
    ...{ domain, title: 'Harbour', admin_user: 'chief', admin_email: 'chief@example.com' },
    admin_password: password,
  })
  for (const path of [MUST, `${PLUGINS}/picky`])
    await panel.data('POST', '/api/files/mkdir', { account_id: accountId, path })
  await write(
    `${MUST}/active.php`,
    `<?php
    add_filter('option_active_plugins', function ($those) { return array_merge((array) $those, ['picky/picky.php']); });
    add_action('upgrader_process_complete', function ($by, $what) {
      update_option('told', array_merge((array) get_option('told', []), [$what]));
    }, 10, 2);
    add_action('init', function () { if (isset($_GET['told'])) die(json_encode(get_option('told'))); });`,
  )
  await write(`${PLUGINS}/picky/picky.php`, pluginText('1.0', footer('picky one')))
}, 180_000)
afterAll(async () => {
  server.close()
  await rm(placed, { recursive: true, force: true })
})

describe('updates of plugins and themes', () => {
  test('what is placed is told, and what is hostile is refused', async () => {
    await mkdir(join(placed, 'not-a-file.zip'))
    await mustRun('zip', ['-q', '-r', join(placed, 'akismet.zip'), 'akismet'], {
      cwd: join(tree, 'wp-content/plugins'),
    })
    await place('out.zip', [{ name: '../out/out.php', content: pluginText('9', '') }])
    await place('link.zip', [
      { name: 'link/link.php', content: pluginText('9', '') },
      { name: 'link/etc', content: '/etc', mode: 0o120777 },
    ])
    const found = await panel.data<{ file: string; slug: string | null; problem: string | null }[]>(
      'GET',
      '/api/wordpress/packages',
    )
    expect(found).toEqual([
      expect.objectContaining({ slug: 'akismet', kind: 'plugin', problem: null }),
      expect.objectContaining({ slug: null, problem: expect.stringMatching(/link/) }),
      expect.objectContaining({ slug: null, problem: expect.stringMatching(/not one inside/) }),
    ])
  })

  test('all that are outdated are updated after a backup, from an archive and from a source', async () => {
    await isOlder()
    const style = await readFile(
      join(tree, 'wp-content/themes/twentytwentythree/style.css'),
      'utf8',
    )
    await write(
      `${THEMES}/twentytwentythree/style.css`,
      style.replace(/^Version: .*$/m, 'Version: 0.1'),
    )
    expect(await updates()).toEqual([
      expect.objectContaining({ slug: 'akismet', version: '1.0', origin: 'placed' }),
      expect.objectContaining({ slug: 'twentytwentythree', version: '0.1', origin: 'placed' }),
    ])
    const done = await update()
    expect(done.results).toMatchObject([
      { kind: 'plugin', slug: 'akismet', from: '1.0', outcome: 'updated', error: null },
      { kind: 'theme', slug: 'twentytwentythree', from: '0.1', outcome: 'updated', error: null },
    ])
    const now = await site()
    expect(now.plugins.find(({ slug }) => slug === 'akismet')).toMatchObject({ outdated: false })
    expect(now.themes.filter(({ outdated }) => outdated)).toEqual([])
    expect(await read(`${THEMES}/twentytwentythree/style.css`)).toBe(style)
    const names = await asOwner('ls', '-A', '--', home, join(home, PLUGINS, 'akismet'))
    expect(names).not.toMatch(/\.berth-wordpress|obsolete/)
    const owner = await asOwner(
      'stat',
      '-c',
      '%U',
      '--',
      join(home, PLUGINS, 'akismet/akismet.php'),
    )
    expect(owner.trim()).toBe(username)
    const backups = JSON.stringify([
      await panel.data('GET', `/api/backups/snapshots/accounts/${accountId}`),
      await panel.data('GET', `/api/backups/accounts/${accountId}`),
    ])
    expect(backups).toContain(done.backup)
    expect((await front()).status).toBe(200)
    const told = JSON.parse((await instance.site(domain, '/?told=1')).text) as unknown
    expect(told).toMatchObject([
      { action: 'update', type: 'plugin', plugins: ['akismet/akismet.php'] },
      { action: 'update', type: 'theme', themes: ['twentytwentythree'] },
    ])
    expect(await update()).toEqual({ path: 'public_html', backup: null, results: [] })
  })

  test('pages are made new by what is there afterwards', async () => {
    expect((await front()).text).toContain('picky one')
    await placePicky('2.0', footer('picky two'))
    expect((await update({ plugins: ['picky'] })).results).toMatchObject([
      { slug: 'picky', from: '1.0', to: '2.0', outcome: 'updated' },
    ])
    await expect.poll(async () => (await front()).text, { timeout: 10_000 }).toContain('picky two')
  })

  test('one with which the site fails is put back, and the others go on', async () => {
    await placePicky('3.0', "throw new Error('Not today.');")
    await isOlder()
    const { results } = await update({ plugins: ['picky', 'akismet'] })
    expect(results).toMatchObject([
      { slug: 'picky', outcome: 'failed', error: expect.stringContaining('Not today.') },
      { slug: 'akismet', outcome: 'updated' },
    ])
    expect([await versionOf('picky'), (await front()).status]).toEqual(['2.0', 200])
    expect(await asOwner('ls', '-A', '--', home)).not.toContain('.berth-wordpress')
  })

  test('one that spoils the database is put back with it', async () => {
    const old = "if (get_option('spoilt')) throw new Error('Spoilt.');"
    await write(`${PLUGINS}/picky/picky.php`, pluginText('2.0', old))
    await placePicky('3.1', "update_option('spoilt', 1); throw new Error('Half way.');")
    const { results } = await update({ plugins: ['picky'] })
    expect(results).toMatchObject([
      { outcome: 'failed', error: expect.stringContaining('Half way.') },
    ])
    expect([await versionOf('picky'), (await front()).status]).toEqual(['2.0', 200])
  })

  test('nothing is begun where the site fails already, or there is nothing newer', async () => {
    const unknown = await panel.call('POST', at(), { path: 'public_html', plugins: ['other'] })
    expect([unknown.status, unknown.body.error]).toEqual([400, expect.stringContaining('other')])
    await write(
      `${MUST}/broken.php`,
      "<?php add_action('template_redirect', function () { throw new Error('As ever.'); });",
    )
    const failing = await panel.call('POST', at(), { path: 'public_html', plugins: ['picky'] })
    expect([failing.status, failing.body.error]).toEqual([409, expect.stringContaining('As ever.')])
    await panel.data('DELETE', '/api/files/delete', {
      ...{ account_id: accountId, path: `${MUST}/broken.php` },
    })
  })

  /** Has the site's WordPress be offered a version of the plugin, as whoever it asks would. */
  const offer = async (version: string, package_: Buffer) => {
    const { port } = server.address() as AddressInfo
    onOffer.set(`/picky-${version}.zip`, package_)
    await write(
      `${MUST}/offers.php`,
      `<?php
      add_filter('http_request_host_is_external', '__return_true');
      add_filter('http_allowed_safe_ports', function () { return [${port}]; });
      add_filter('site_transient_update_plugins', function ($known) {
        $known = is_object($known) ? $known : new stdClass();
        $known->response['picky/picky.php'] = (object) ['slug' => 'picky', 'new_version' => '${version}',
          'plugin' => 'picky/picky.php', 'package' => 'http://127.0.0.1:${port}/picky-${version}.zip'];
        return $known;
      });`,
    )
  }

  test('what its own WordPress is offered is fetched by its own upgrader', async () => {
    const code = footer('picky five')
    await offer('5.0', makeZip([{ name: 'picky/picky.php', content: pluginText('5.0', code) }]))
    expect(await updates()).toContainEqual(
      expect.objectContaining({ slug: 'picky', newest: '5.0', origin: 'offered' }),
    )
    expect((await update({ plugins: ['picky'] })).results).toMatchObject([
      { slug: 'picky', from: '2.0', to: '5.0', outcome: 'updated' },
    ])
    await expect.poll(async () => (await front()).text, { timeout: 10_000 }).toContain('picky five')
    expect(await updates()).not.toContainEqual(expect.objectContaining({ slug: 'picky' }))
  })

  test.each<[string, ZipMember[], RegExp]>([
    [
      'leads out',
      [
        { name: 'picky/picky.php', content: pluginText('6.0', '') },
        { name: 'picky/../../../../out.php', content: '<?php' },
      ],
      /refused|not one inside/,
    ],
    [
      'holds a link',
      [
        { name: 'picky/picky.php', content: pluginText('6.0', '') },
        { name: 'picky/link', content: 'picky.php', mode: 0o120777 },
      ],
      /link/,
    ],
    ['holds another one', [{ name: 'other/picky.php', content: pluginText('6.0', '') }], /alone/],
    ['is older', [{ name: 'picky/picky.php', content: pluginText('4.0', '') }], /version 4\.0/],
  ])('an archive that %s is refused, and nothing is changed', async (_, members, why) => {
    await offer('6.0', makeZip(members))
    const { results } = await update({ plugins: ['picky'] })
    expect(results).toMatchObject([{ outcome: 'failed', error: expect.stringMatching(why) }])
    expect([await versionOf('picky'), (await front()).status]).toEqual(['5.0', 200])
    expect(await asOwner('ls', '-A', '--', home, join(home, PLUGINS))).not.toMatch(
      /\.berth-wordpress|out\.php|other/,
    )
  })
})
