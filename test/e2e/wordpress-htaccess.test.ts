import { beforeAll, expect, test } from 'vitest'
import { eventually } from '#test/node/web-server/support/web-process.ts'
import { Tenant } from '#test/support/tenant.ts'
import { instance, panel, shareInstance } from '#test/support/setups/shared-instance.ts'
import { BrowserLike } from './support/browser-like.ts'
import { copyTree } from './support/copy-tree.ts'
import { greyPicture } from './support/grey-picture.ts'
import { wordpressRules } from './wordpress-rules.ts'
import { installWordpress, logIn, restNonce, setPermalinks } from './support/wordpress-site.ts'
import { wordpressTree } from './support/wordpress-tree.ts'

let tenant: Tenant
let editor: BrowserLike
let nonce = ''
let post: { id: number; link: string }

const rest = async <T>(method: string, path: string, body: object): Promise<T> => {
  const answer = await editor.request(`/wp-json/wp/v2/${path}`, {
    method,
    headers: { 'content-type': 'application/json', 'x-wp-nonce': nonce },
    body: JSON.stringify(body),
  })
  expect([200, 201], answer.text).toContain(answer.status)
  return JSON.parse(answer.text) as T
}

// One worker: each looks for itself whether a file has changed.
shareInstance({ settings: { server: 'workers = 1' } })
beforeAll(async () => {
  tenant = await Tenant.create(panel, 'pro')
  const databasePassword = 'Wp-pass-0123456789'
  await panel.data('POST', '/api/databases', {
    account_id: tenant.id,
    db_name: 'wp',
    db_password: databasePassword,
  })
  await copyTree(tenant, await wordpressTree(), 'public_html')
  await tenant.run('rm', ['--', tenant.path('public_html/index.html')])
  // worker:let me work, as SHA-1.
  await tenant.put('.passwords', 'worker:{SHA}TzqSkOhjyJsp6IcvWqDVNjVM8LM=\n')
  await tenant.put('public_html/.htaccess', wordpressRules(tenant.home))
  await installWordpress(instance, panel, {
    accountId: tenant.id,
    domain: tenant.domain,
    database: `${tenant.username}_wp`,
    databasePassword,
  })
  editor = new BrowserLike(instance, tenant.domain)
  await logIn(editor, tenant.domain)
  await setPermalinks(editor, '/%year%/%monthnum%/%postname%/')
  nonce = await restNonce(editor)
  post = await rest('POST', 'posts', {
    title: 'Ferry sails again',
    content: 'From Monday.',
    status: 'publish',
    comment_status: 'open',
  })
  // What these changes make new may follow within two seconds: a page that is older was made behind it.
  const ageSecs = async (): Promise<number> =>
    Number((await instance.site(tenant.domain, '/')).headers['age'] ?? 0)
  await eventually('nothing follows', async () => (await ageSecs()) > 2)
  await panel.purge({ domain: tenant.domain })
})

const visit = (path: string, headers: Record<string, string> = {}) =>
  instance.site(tenant.domain, path, { headers })

/** A .htaccess file is looked at again once a second. */
const becomes = (path: string, status: number): Promise<void> =>
  expect.poll(async () => (await visit(path)).status).toBe(status)

test('permalinks, archives, feeds and the REST API go through the rewrite rules', async () => {
  const path = new URL(post.link).pathname
  expect(path).toMatch(/^\/20\d\d\/\d\d\/ferry-sails-again\/$/)
  const page = await visit(path)
  expect([page.status, page.headers['x-cache'], page.headers['x-frame-options']]).toEqual([
    200,
    'MISS',
    'SAMEORIGIN',
  ])
  expect(page.text).toContain('From Monday.')
  const hit = await visit(path)
  expect([hit.headers['x-cache'], hit.headers['x-frame-options']]).toEqual(['HIT', 'SAMEORIGIN'])
  expect(hit.body.equals(page.body)).toBe(true)
  for (const part of [
    '/category/uncategorized/',
    '/feed/',
    '/wp-json/wp/v2/posts',
    '/wp-admin/css/login.css',
  ]) {
    const answer = await visit(part)
    expect([answer.status, answer.headers['x-content-type-options']], part).toEqual([
      200,
      'nosniff',
    ])
  }
  expect((await visit('/2001/01/nothing/')).status).toBe(404)
  const moved = await visit('/old-shop/boats?x=1')
  expect(moved.status).toBe(301)
  expect(new URL(moved.headers['location'] ?? '', `http://${tenant.domain}`).href).toBe(
    `http://${tenant.domain}/boats?x=1`,
  )
})

test('what the security rules close is closed, also when the page is in the cache', async () => {
  for (const path of [
    '/xmlrpc.php',
    '/wp-config.php',
    '/readme.html',
    '/license.txt',
    '/?author=1',
    '/wp-includes/load.php',
  ]) {
    expect((await visit(path)).status, path).toBe(403)
  }
  const path = new URL(post.link).pathname
  expect((await visit(path)).headers['x-cache']).toBe('HIT')
  const bot = await visit(path, { 'user-agent': 'Mozilla/5.0 (compatible; BadBot/2)' })
  expect(bot.status).toBe(403)
  const human = await visit(path, { 'user-agent': 'Mozilla/5.0' })
  expect(human.status).toBe(200)
  const refused = await visit('/wp-cron.php')
  expect([refused.status, refused.headers['www-authenticate']]).toEqual([401, 'Basic realm="Jobs"'])
  const worker = { authorization: `Basic ${btoa('worker:let me work')}` }
  expect((await visit('/wp-cron.php', worker)).status).toBe(200)
})

test('an uploaded picture is shown with its expiry; a script among the uploads does not run', async () => {
  const upload = await editor.request('/wp-json/wp/v2/media', {
    method: 'POST',
    headers: {
      'content-type': 'image/png',
      'content-disposition': 'attachment; filename="quay.png"',
      'x-wp-nonce': nonce,
    },
    body: greyPicture(),
  })
  expect(upload.status, upload.text).toBe(201)
  const media = JSON.parse(upload.text) as {
    source_url: string
    media_details: { sizes: Record<string, { source_url: string; width: number }> }
  }
  const shown = await visit(new URL(media.source_url).pathname)
  expect([shown.status, shown.headers['content-type'], shown.headers['cache-control']]).toEqual([
    200,
    'image/png',
    'max-age=31536000',
  ])
  expect(shown.body.equals(greyPicture())).toBe(true)
  const thumbnail = media.media_details.sizes['thumbnail']!
  expect(thumbnail.width).toBe(150)
  expect((await visit(new URL(thumbnail.source_url).pathname)).status).toBe(200)

  await tenant.put(
    'public_html/wp-content/uploads/.htaccess',
    '<FilesMatch "\\.(?:php|phtml)$">\nRequire all denied\n</FilesMatch>\n',
  )
  await tenant.put('public_html/wp-content/uploads/shell.php', '<?php echo "it runs";')
  await becomes('/wp-content/uploads/shell.php', 403)
  const shell = await visit('/wp-content/uploads/shell.php')
  expect(shell.text).not.toContain('it runs')
})

test('a visitor comments, the editor approves, everybody reads', async () => {
  const visitor = new BrowserLike(instance, tenant.domain)
  const sent = await visitor.post('/wp-comments-post.php', {
    comment: 'Good news for the island.',
    author: 'Ada',
    email: 'ada@example.com',
    url: '',
    comment_post_ID: String(post.id),
    comment_parent: '0',
    submit: 'Post Comment',
  })
  expect(sent.status, sent.text).toBe(302)
  expect(sent.headers['location']).toContain('#comment-')
  const path = new URL(post.link).pathname
  expect((await visit(path)).text).not.toContain('Good news for the island.')
  const id = Number(/#comment-(\d+)/.exec(sent.headers['location'] ?? '')?.[1])
  await rest('POST', `comments/${id}`, { status: 'approved' })
  await panel.purge({ domain: tenant.domain })
  const page = await visit(path)
  expect([page.headers['x-cache'], page.text.includes('Good news for the island.')]).toEqual([
    'MISS',
    true,
  ])
})

test('a change of .htaccess counts, also for cached pages', async () => {
  const path = new URL(post.link).pathname
  await visit(path)
  expect((await visit(path)).headers['x-cache']).toBe('HIT')
  const closed = `RewriteEngine On\nRewriteCond %{REQUEST_URI} !^/wp-admin/\nRewriteRule ^ - [R=503,L]\nErrorDocument 503 "Back at noon."\n`
  await tenant.put('public_html/.htaccess', `${closed}${wordpressRules(tenant.home)}`)
  await becomes(path, 503)
  const during = await visit(path)
  expect([during.status, during.text]).toEqual([503, 'Back at noon.'])
  await tenant.put('public_html/.htaccess', wordpressRules(tenant.home))
  await becomes(path, 200)
  expect((await visit(path)).text).toContain('From Monday.')
})
