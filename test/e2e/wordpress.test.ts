import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { asUser } from '#adapters/node/process/as-user.ts'
import { mustRun, runCommand } from '#adapters/node/process/run-command.ts'
import { randomUsername } from '#test/support/panel-client.ts'
import { processesOf } from '#test/support/processes-of.ts'
import { instance, panel, shareInstance } from '#test/support/setups/shared-instance.ts'
import { bringForward } from './support/bring-forward.ts'
import { BrowserLike } from './support/browser-like.ts'
import { installWordpress, logIn, restNonce, setPermalinks } from './support/wordpress-site.ts'
import { wordpressTree } from './support/wordpress-tree.ts'

const username = randomUsername()
const domain = `${username}.example.com`
const password = `Pw-${username}-8x`
const databasePassword = `Db'"\\${username}`

let account: { id: number; username: string; status: string }
let uid = 0
let home = ''

const osUser = async (name: string): Promise<string | null> => {
  const result = await runCommand('getent', ['passwd', '--', name])
  return result.code === 0 ? result.stdout.trim() : null
}
const front = async (): Promise<string> => (await instance.site(domain, '/')).text
/** Waits until a visitor without cookies sees a text. */
const shows = async (path: string, text: string): Promise<void> => {
  const read = async (): Promise<string> => (await instance.site(domain, path)).text
  await expect.poll(read, { timeout: 10_000 }).toContain(text)
}
/** Every worker looks at a changed .htaccess within a second; pages are of one edition of it. */
const inForce = async (path: string): Promise<void> => {
  const isEverywhere = async (): Promise<boolean> => {
    for (let n = 0; n < 6; n++) {
      const { status, headers } = await instance.site(domain, path)
      if (status !== 200 || headers['x-cache'] !== 'HIT') return false
    }
    return true
  }
  await expect.poll(isEverywhere).toBe(true)
}
/** Goes to the first link of an administration's page that says what it does. */
const follow = async (editor: BrowserLike, page: string, action: string): Promise<void> => {
  const { text } = await editor.get(page)
  const links = [...text.matchAll(/href=['"]([^'"]+)['"]/g)].map(([, link = '']) =>
    link.replaceAll('&amp;', '&').replaceAll('&#038;', '&'),
  )
  const link = links.find((one) => one.includes(action) && one.includes('_wpnonce='))
  expect(link, action).toBeDefined()
  const { pathname, search } = new URL(link!, `http://${domain}/wp-admin/`)
  expect((await editor.get(`${pathname}${search}`)).status).toBe(302)
}

shareInstance()

describe('a WordPress site from an empty machine to the page cache', () => {
  test('the account comes with an OS user, a home, a placeholder page and a virtual host', async () => {
    account = await panel.data('POST', '/api/accounts', {
      username,
      domain,
      email: `${username}@example.com`,
      password,
      plan: 'pro',
    })
    expect(account).toMatchObject({ username, primary_domain: domain, status: 'active' })
    const entry = (await osUser(username))!.split(':')
    uid = Number(entry[2])
    home = entry[5]!
    expect(uid).toBeGreaterThanOrEqual(1000)
    const placeholder = await instance.site(domain, '/')
    expect(placeholder.status).toBe(200)
    expect(placeholder.text).toContain(domain)
  })

  test('the database has its own limited user', async () => {
    const created = await panel.data('POST', '/api/databases', {
      account_id: account.id,
      db_name: 'wp',
      db_password: databasePassword,
    })
    expect(created).toMatchObject({
      database: `${username}_wp`,
      user: `${username}_wp`,
      host: 'localhost',
    })
  })

  test('WordPress is copied in as the account, configured through the file API and installs', async () => {
    const tree = await wordpressTree()
    const copy = asUser({ uid, gid: uid, groups: 'none' }, 'cp', [
      '-r',
      '--',
      `${tree}/.`,
      join(home, 'public_html'),
    ])
    await mustRun(copy.program, copy.args)
    await panel.data('DELETE', '/api/files/delete', {
      account_id: account.id,
      path: 'public_html/index.html',
    })
    await installWordpress(instance, panel, {
      accountId: account.id,
      domain,
      database: `${username}_wp`,
      databasePassword,
    })
  })

  test('the first view of the front page is a MISS, the second a HIT with the same bytes', async () => {
    // WordPress has written its rules.
    await inForce('/')
    await panel.purge({ domain })
    const first = await instance.site(domain, '/')
    expect(first.status).toBe(200)
    expect(first.text).toContain('Harbour News')
    expect(first.headers['x-cache']).toBe('MISS')
    const second = await instance.site(domain, '/')
    expect(second.headers['x-cache']).toBe('HIT')
    expect(second.body.equals(first.body)).toBe(true)
    expect(second.headers['content-type']).toBe(first.headers['content-type'])
    expect(second.headers['link']).toBe(first.headers['link'])
  })

  test('login sets its cookie; logged-in pages are never cached nor served to others', async () => {
    const editor = new BrowserLike(instance, domain)
    await logIn(editor, domain)
    for (let view = 0; view < 2; view++) {
      const own = await editor.get('/')
      expect(own.status).toBe(200)
      expect(own.headers['x-cache']).toBe('MISS')
      expect(own.text).toContain('wp-admin-bar')
    }
    const stranger = await instance.site(domain, '/')
    expect(stranger.headers['x-cache']).toBe('HIT')
    expect(stranger.text).not.toContain('wp-admin-bar')

    await setPermalinks(editor, '/%postname%/')
    const nonce = await restNonce(editor)
    const post = await editor.request('/wp-json/wp/v2/posts', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-wp-nonce': nonce },
      body: JSON.stringify({
        title: 'Ferry sails again',
        content: 'From Monday.',
        status: 'publish',
      }),
    })
    expect(post.status, post.text).toBe(201)
    // The permalinks were changed a moment ago, so this change may follow within two seconds.
    await shows('/', 'Ferry sails again')
  })

  test('a permalink works', async () => {
    await inForce('/ferry-sails-again/')
    const page = await instance.site(domain, '/ferry-sails-again/')
    expect(page.status).toBe(200)
    expect(page.text).toContain('From Monday.')
    expect((await instance.site(domain, '/ferry-sails-again/')).headers['x-cache']).toBe('HIT')
    expect((await instance.site(domain, '/no-such-page/')).status).toBe(404)
  })

  test('what an editor changes is seen by everybody, without a purge by hand', async () => {
    const editor = new BrowserLike(instance, domain)
    await logIn(editor, domain)
    const nonce = await restNonce(editor)
    const found = await instance.site(domain, '/wp-json/wp/v2/posts?slug=ferry-sails-again')
    const [{ id = 0 } = {}] = JSON.parse(found.text) as { id?: number }[]
    const edited = await editor.request(`/wp-json/wp/v2/posts/${id}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-wp-nonce': nonce },
      body: JSON.stringify({ content: 'From Tuesday.' }),
    })
    expect(edited.status, edited.text).toBe(200)
    await shows('/ferry-sails-again/', 'From Tuesday.')

    // A comment of a stranger is held back, and changes nothing before it is approved.
    const comment = await new BrowserLike(instance, domain).post('/wp-comments-post.php', {
      comment: 'Good news for all of us.',
      author: 'A. Nemone',
      email: 'a@example.com',
      comment_post_ID: String(id),
      comment_parent: '0',
    })
    expect([comment.status, comment.headers['location']]).toEqual([
      302,
      expect.stringContaining('unapproved='),
    ])
    await follow(editor, '/wp-admin/edit-comments.php', 'action=approvecomment')
    await shows('/ferry-sails-again/', 'Good news for all of us.')

    const written = await editor.request('/wp-json/wp/v2/posts', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-wp-nonce': nonce },
      body: JSON.stringify({ title: 'Soon forgotten', content: 'x', status: 'publish' }),
    })
    expect(written.status, written.text).toBe(201)
    await shows('/', 'Soon forgotten')
    await follow(editor, '/wp-admin/edit.php', 'action=trash')
    await expect.poll(front, { timeout: 10_000 }).not.toContain('Soon forgotten')
  })

  test('a post appears when its time has come, and links change with the permalinks screen', async () => {
    const editor = new BrowserLike(instance, domain)
    await logIn(editor, domain)
    const nonce = await restNonce(editor)
    // WordPress publishes at once what is due within a minute.
    const due = new Date(Math.ceil(Date.now() / 1000) * 1000 + 100_000)
    const planned = await editor.request('/wp-json/wp/v2/posts', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-wp-nonce': nonce },
      body: JSON.stringify({
        title: 'Harbour fair opens',
        content: 'At noon.',
        status: 'future',
        date_gmt: due.toISOString().slice(0, 19),
      }),
    })
    expect(planned.status, planned.text).toBe(201)
    const { id = 0, status } = JSON.parse(planned.text) as { id?: number; status?: string }
    expect(status).toBe('future')
    // What saving the plan changed is done with: the page is stored, without the post.
    await inForce('/')
    expect(await front()).not.toContain('Harbour fair opens')
    await bringForward(`${username}_wp`, id, due)
    const published = async (): Promise<string> => {
      // As an account's cron asks for it.
      expect((await instance.site(domain, '/wp-cron.php')).status).toBe(200)
      return front()
    }
    await expect
      .poll(published, { timeout: 20_000, interval: 1000 })
      .toContain('Harbour fair opens')

    expect(await front()).toContain(`//${domain}/harbour-fair-opens/`)
    await setPermalinks(editor, '/archive/%postname%/')
    await shows('/', `//${domain}/archive/harbour-fair-opens/`)
    await inForce('/archive/harbour-fair-opens/')
    expect((await instance.site(domain, '/archive/harbour-fair-opens/')).text).toContain('At noon.')
    await setPermalinks(editor, '/%postname%/')
    await shows('/', `//${domain}/harbour-fair-opens/`)
    await inForce('/harbour-fair-opens/')
  })

  test('the heartbeat of an open editor leaves the pages as they are', async () => {
    const editor = new BrowserLike(instance, domain)
    await logIn(editor, domain)
    const { text } = await editor.get('/wp-admin/index.php')
    const nonce = /heartbeatSettings = \{[^}]*"nonce":"(\w+)"/.exec(text)?.[1]
    expect(nonce).toBeDefined()
    // What was changed before must not follow now.
    const made = async (): Promise<number> =>
      Number((await instance.site(domain, '/')).headers['age'] ?? 0)
    await expect.poll(made, { timeout: 20_000 }).toBeGreaterThan(2)
    const beat = await editor.post('/wp-admin/admin-ajax.php', {
      action: 'heartbeat',
      _nonce: nonce!,
      interval: '60',
      screen_id: 'dashboard',
    })
    expect(beat.status).toBe(200)
    expect(beat.text).toContain('server_time')
    expect((await instance.site(domain, '/')).headers['x-cache']).toBe('HIT')
    expect(await made()).toBeGreaterThan(2)
  })

  test('a purge by domain makes the pages anew', async () => {
    const before = await instance.site(domain, '/')
    expect(before.headers['x-cache']).toBe('HIT')
    await panel.purge({ domain })
    const after = await instance.site(domain, '/')
    expect(after.headers['x-cache']).toBe('MISS')
    expect(after.text).toContain('Ferry sails again')
    expect((await instance.site(domain, '/')).headers['x-cache']).toBe('HIT')
  })

  test('suspension closes the site and its cached pages, lifting restores it', async () => {
    const open = instance.keepAlive(domain)
    expect((await open.get('/')).status).toBe(200)
    await panel.data('POST', `/api/accounts/${account.id}/suspend`)
    for (const path of ['/', '/ferry-sails-again/', '/wp-login.php', '/readme.html']) {
      expect((await instance.site(domain, path)).status, path).toBe(503)
      expect((await open.get(path)).status, `${path} on an open connection`).toBe(503)
    }
    open.close()
    expect(await processesOf(uid)).toEqual([])
    const login = await panel.call('POST', '/api/auth/login', { username, password }, null)
    expect(login.status).not.toBe(200)
    await panel.data('POST', `/api/accounts/${account.id}/unsuspend`)
    const back = await instance.site(domain, '/')
    expect(back.status).toBe(200)
    expect(back.headers['x-cache']).toBe('MISS')
    expect(back.text).toContain('Ferry sails again')
  })

  test('deletion leaves nothing behind', async () => {
    await panel.data('DELETE', `/api/accounts/${account.id}`)
    expect(await osUser(username)).toBeNull()
    expect((await runCommand('getent', ['group', '--', username])).code).not.toBe(0)
    expect(await processesOf(uid)).toEqual([])
    expect((await runCommand('find', [home, '-maxdepth', '0'])).code).not.toBe(0)
    expect(
      (await runCommand('find', [instance.config.paths.home_base, '-uid', String(uid)])).stdout,
    ).toBe('')
    for (const directory of [instance.config.paths.vhosts_dir, instance.config.paths.run_dir]) {
      const names = await readdir(directory, { recursive: true })
      expect(names.filter((name) => name.includes(username))).toEqual([])
    }
    const sql = await mustRun('mariadb', [
      '--no-defaults',
      `--socket=${instance.config.paths.run_dir}/mariadb/mariadb.sock`,
      '--batch',
      '-e',
      `SELECT COUNT(*) FROM information_schema.schemata WHERE schema_name LIKE '${username}%' UNION ALL SELECT COUNT(*) FROM mysql.user WHERE user LIKE '${username}%' UNION ALL SELECT COUNT(*) FROM mysql.db WHERE user LIKE '${username}%'`,
      '--skip-column-names',
    ])
    expect(sql.stdout.trim().split('\n')).toEqual(['0', '0', '0'])
    expect(await panel.data('GET', '/api/accounts')).toEqual([])
    expect(await panel.data('GET', '/api/domains')).toEqual([])
    expect((await instance.site(domain, '/')).status).toBe(404)
  })
})
