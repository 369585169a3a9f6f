import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { asUser } from '#adapters/node/process/as-user.ts'
import { mustRun } from '#adapters/node/process/run-command.ts'
import { randomUsername } from '#test/support/panel-client.ts'
import { instance, panel, shareInstance } from '#test/support/setups/shared-instance.ts'
import { BrowserLike } from './support/browser-like.ts'
import { bringForward } from './support/bring-forward.ts'
import { installWordpress, logIn, restNonce, setPermalinks } from './support/wordpress-site.ts'
import { wordpressTree } from './support/wordpress-tree.ts'

const username = randomUsername()
const domain = `${username}.example.com`
const password = `Pw-${username}-8x`
let accountId = 0
const posts: Record<string, number> = {}
let editor: BrowserLike
let nonce = ''

/** A WordPress of its own: scheduled tasks of another test would make its pages new at any time. */
const makeSite = async (): Promise<void> => {
  const account = await panel.data<{ id: number }>('POST', '/api/accounts', {
    ...{ username, domain, password, email: `${username}@example.com`, plan: 'pro' },
  })
  accountId = account.id
  await panel.data('POST', '/api/databases', {
    ...{ account_id: accountId, db_name: 'wp', db_password: password },
  })
  const home = join(instance.config.paths.home_base, username)
  const uid = Number((await mustRun('id', ['-u', '--', username])).stdout)
  const copy = asUser({ uid, gid: uid, groups: 'none' }, 'cp', [
    ...['-r', '--', `${await wordpressTree()}/.`, join(home, 'public_html')],
  ])
  await mustRun(copy.program, copy.args)
  await panel.data('DELETE', '/api/files/delete', {
    ...{ account_id: accountId, path: 'public_html/index.html' },
  })
  await installWordpress(instance, panel, {
    ...{ accountId, domain, database: `${username}_wp`, databasePassword: password },
  })
}

const rest = async (path: string, body: object): Promise<number> => {
  const { status, text } = await editor.request(`/wp-json/wp/v2/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-wp-nonce': nonce },
    body: JSON.stringify(body),
  })
  expect([200, 201], text).toContain(status)
  return (JSON.parse(text) as { id: number }).id
}
const PAGES = ['/', '/oldest/', '/middle/', '/newest/', '/tides/', '/category/harbour/'] as const
/** Stored, and the same at every worker, whatever was changed before. */
const fill = async (paths: readonly string[] = PAGES): Promise<void> => {
  for (const path of paths) {
    const isStored = async (): Promise<boolean> => {
      for (let n = 0; n < 4; n++)
        if ((await instance.site(domain, path)).headers['x-cache'] !== 'HIT') return false
      return true
    }
    await expect.poll(isStored, { message: path }).toBe(true)
  }
}
/** Of the pages those that a change has made old. */
const renewed = async (
  change: () => Promise<unknown>,
  paths: readonly string[] = PAGES,
): Promise<string[]> => {
  await fill(paths)
  await change()
  const found: string[] = []
  for (const path of paths)
    if ((await instance.site(domain, path)).headers['x-cache'] !== 'HIT') found.push(path)
  return found
}

shareInstance()

describe('the plugin berth-cache', () => {
  test('is a file in mu-plugins, and makes the pages of before new when it comes', async () => {
    await makeSite()
    const before = await panel.data('GET', `/api/cache/${domain}/plugin`)
    expect(before).toMatchObject({ state: 'none' })
    const placed = await panel.data('PUT', `/api/cache/${domain}/plugin`, { installed: true })
    expect(placed).toEqual({
      path: 'public_html/wp-content/mu-plugins/berth-cache.php',
      state: 'current',
    })
    editor = new BrowserLike(instance, domain)
    await logIn(editor, domain)
    await setPermalinks(editor, '/%postname%/')
    nonce = await restNonce(editor)
    posts['harbour'] = await rest('categories', { name: 'Harbour', slug: 'harbour' })
    posts['tides'] = await rest('pages', { title: 'Tides', slug: 'tides', status: 'publish' })
    for (const [index, slug] of ['oldest', 'middle', 'newest'].entries())
      posts[slug] = await rest('posts', {
        ...{ title: slug, slug, content: 'First words.', status: 'publish' },
        date: `2021-0${index + 1}-01T10:00:00`,
        ...(slug === 'middle' ? { categories: [posts['harbour']] } : {}),
      })
  })

  test('a post that is edited makes new what shows it, and nothing else', async () => {
    const edit = () => rest(`posts/${posts['middle']}`, { content: 'Other words.' })
    expect(await renewed(edit)).toEqual(['/', '/middle/', '/category/harbour/'])
    expect((await instance.site(domain, '/middle/')).text).toContain('Other words.')
  })

  test('a draft makes nothing new', async () => {
    const draft = () => rest('posts', { title: 'Not yet', status: 'draft' })
    expect(await renewed(draft)).toEqual([])
  })

  test('a post that is published makes new the lists that it is in, and the post that leads to it', async () => {
    const publish = async () => {
      posts['latest'] = await rest('posts', {
        ...{ title: 'latest', slug: 'latest', content: 'News.', status: 'publish' },
        ...{ categories: [posts['harbour']], date: '2021-04-01T10:00:00' },
      })
    }
    expect(await renewed(publish)).toEqual(['/', '/newest/', '/category/harbour/'])
    expect((await instance.site(domain, '/category/harbour/')).text).toContain('/latest/')
  })

  test('a post that is trashed is gone from where it was shown', async () => {
    const trash = () =>
      editor.request(`/wp-json/wp/v2/posts/${posts['latest']}`, {
        method: 'DELETE',
        headers: { 'x-wp-nonce': nonce },
      })
    const paths = [...PAGES, '/latest/']
    expect(await renewed(trash, paths)).toEqual(['/', '/newest/', '/category/harbour/', '/latest/'])
    expect((await instance.site(domain, '/latest/')).status).toBe(404)
  })

  test('a comment is seen at its post once it is approved', async () => {
    const comment = (status: string) =>
      rest('comments', {
        ...{ post: posts['oldest'], content: `Said: ${status}.`, status },
        ...{ author_name: 'A', author_email: 'a@example.com' },
      })
    expect(await renewed(() => comment('hold'))).toEqual([])
    expect(await renewed(() => comment('approved'))).toContain('/oldest/')
    expect((await instance.site(domain, '/oldest/')).text).toContain('Said: approved.')
  })

  test('a name of the site makes all pages new', async () => {
    expect(await renewed(() => rest('settings', { title: 'Harbour Times' }))).toEqual([...PAGES])
    expect((await instance.site(domain, '/tides/')).text).toContain('Harbour Times')
  })

  test('what a scheduled task publishes is seen when it is done, and other pages stay', async () => {
    const due = new Date(Math.ceil(Date.now() / 1000) * 1000 + 100_000)
    const id = await rest('posts', {
      ...{ title: 'In time', slug: 'in-time', content: 'x', status: 'future' },
      date_gmt: due.toISOString().slice(0, 19),
    })
    await bringForward(`${username}_wp`, id, due)
    const task = async () => {
      const front = async () => {
        expect((await instance.site(domain, '/wp-cron.php')).status).toBe(200)
        return (await instance.site(domain, '/')).text
      }
      await expect.poll(front, { timeout: 20_000, interval: 1000 }).toContain('/in-time/')
    }
    expect(await renewed(task, ['/middle/', '/tides/', '/'])).not.toContain('/middle/')
  })

  test('the bar of WordPress shows the share of hits, and renews one page', async () => {
    const { text } = await editor.get('/tides/')
    expect(text).toMatch(/id=["']wp-admin-bar-berth-cache["'][\s\S]{0,400}Page cache \d+%/)
    const link = /href=["']([^"']*what=page[^"']*)["']/.exec(text)?.[1]?.replaceAll('&#038;', '&')
    const { pathname, search } = new URL(link!.replaceAll('&amp;', '&'))
    const renew = async () =>
      expect((await editor.get(`${pathname}${search}`)).headers['location']).toContain('/tides/')
    expect(await renewed(renew)).toEqual(['/tides/'])
    // Nobody may who only has the address.
    const stranger = await instance.site(domain, `${pathname}${search}`)
    expect(stranger.status).toBe(400)
    expect(await renewed(() => Promise.resolve())).toEqual([])
  })

  test('another edition is brought up to date, a file that is not ours stays, and removed it is gone', async () => {
    const path = 'public_html/wp-content/mu-plugins/berth-cache.php'
    const write = (content: string) =>
      panel.data('POST', '/api/files/write', { account_id: accountId, path, content })
    const state = async () =>
      (await panel.data<{ state: string }>('GET', `/api/cache/${domain}/plugin`)).state
    const change = (installed: boolean) =>
      panel.call('PUT', `/api/cache/${domain}/plugin`, { installed })
    await write('<?php // Plugin Name: Berth Cache\n')
    expect(await state()).toBe('other')
    expect((await change(true)).status).toBe(200)
    expect(await state()).toBe('current')
    expect((await change(false)).status).toBe(200)
    expect(await state()).toBe('none')
    await write('<?php // Of somebody else.\n')
    for (const installed of [true, false]) expect((await change(installed)).status).toBe(409)
    expect(await state()).toBe('foreign')
  })
})
