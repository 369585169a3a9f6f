import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startCacheSite, type CacheSite } from '#test/attack/support/cache-site.ts'
import { get } from '#test/node/web-server/support/get.ts'
import { RawClient, splitResponses } from '#test/node/web-server/support/raw-client.ts'
import { eventually } from '#test/node/web-server/support/web-process.ts'

let site: CacheSite
/** Document root of all hosts below; what one of them changes is nothing to the others. */
let root: string
beforeAll(async () => {
  site = await startCacheSite()
  const { web } = site
  root = join(site.root, '../wordpress')
  for (const directory of ['wp-includes', 'wp-admin'])
    mkdirSync(join(root, directory), { recursive: true })
  for (const file of ['wp-includes/version.php', 'wp-login.php']) page(file, '')
  page('index.php', `echo 'page ', $_SERVER['REQUEST_URI'], ' ', hrtime(true);`)
  page('wp-admin/post.php', `header('Location: /wp-admin/edit.php', true, 302);`)
  page(
    'wp-admin/post-new.php',
    `header('X-Cache-Purge: ' . $_POST['purge']); header('Location: /a', true, 302);`,
  )
  page('wp-admin/profile.php', `header('Location: /wp-login.php?reauth=1', true, 302);`)
  page('wp-admin/gone.php', `http_response_code(404); echo 'gone';`)
  page('wp-admin/about.php', `echo 'private ', hrtime(true);`)
  page('wp-admin/admin-ajax.php', `echo json_encode($_POST);`)
  const socket = /socket = "([^"]+)"/.exec(readFileSync(`${web.directory}/berth.toml`, 'utf8'))?.[1]
  const host = (domain: string, application: string): string =>
    `[[virtualhost]]\ndomain = "${domain}"\nroot = "${root}"\nindex = ["index.php"]\n` +
    `[virtualhost.php]\nsocket = "${socket}"\n` +
    `[virtualhost.cache]\napplication = "${application}"\n`
  const hosts = ['w', 'saved', 'kept', 'form', 'many', 'tells'].map((name) =>
    host(`${name}.test`, 'auto'),
  )
  web.writeHosts('hosts', [...hosts, host('x.test', 'none')].join(''))
  expect((await web.control('POST', '/reload')).status).toBe(200)
})
afterAll(() => site?.stop())

const page = (file: string, php: string): void =>
  writeFileSync(join(root, file), `<?php header('Content-Type: text/html'); ${php}`)
const body = async (host: string, path: string): Promise<string> =>
  (await get(site.web.port, host, path)).body
const post = async (host: string, path: string, form = '') => {
  const client = new RawClient(site.web.port)
  client.write(
    `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\nContent-Length: ${form.length}\r\n` +
      `Content-Type: application/x-www-form-urlencoded\r\n\r\n${form}`,
  )
  await client.closed
  const [answer] = splitResponses(client.text)
  if (answer === undefined) throw new Error(`${path}: the connection broke`)
  return answer
}
/** Whether the stored page is another after `act`. */
const isNewAfter = async (host: string, act: () => Promise<unknown>): Promise<boolean> => {
  const before = await body(host, '/post/')
  expect(await body(host, '/post/')).toBe(before)
  await act()
  return (await body(host, '/post/')) !== before
}

describe('applications that are recognised', () => {
  it('are named by the control socket, where the owner does not say otherwise', async () => {
    await body('w.test', '/')
    const { sites } = (await site.web.control('GET', '/cache')).body as {
      sites: Record<string, { application: string | null }>
    }
    const named = ['w.test', 'x.test', 'p.test'].map((domain) => sites[domain]?.application)
    expect(named).toEqual(['wordpress', null, null])
  })

  it('have new pages as soon as a request that changes them is answered', async () => {
    const save = async (): Promise<void> =>
      expect((await post('saved.test', '/wp-admin/post.php')).status).toBe(302)
    expect(await isNewAfter('saved.test', save)).toBe(true)
  })

  it('keep their pages where nothing was changed', async () => {
    for (const [path, form] of [
      ['/contact/', 'message=hello'],
      ['/wp-admin/profile.php', ''],
      ['/wp-admin/gone.php', ''],
      ['/wp-admin/admin-ajax.php', 'action=heartbeat'],
    ] as const)
      expect(await isNewAfter('kept.test', () => post('kept.test', path, form)), path).toBe(false)
  })

  it('keep what an answer does not name that names all that was changed', async () => {
    const told = (purge: string) => () =>
      post('tells.test', '/wp-admin/post-new.php', `purge=${encodeURIComponent(purge)}`)
    expect(await isNewAfter('tells.test', told('only, /other/'))).toBe(false)
    expect(await isNewAfter('tells.test', told('only'))).toBe(false)
    expect(await isNewAfter('tells.test', told('only, /post/'))).toBe(true)
    // Without the word it is told beside what is known of the application.
    expect(await isNewAfter('tells.test', told('/other/'))).toBe(true)
  })

  it('are judged by a form that reaches PHP whole', async () => {
    const form = `data=${'x'.repeat(100_000)}&action=inline-save`
    const save = async (): Promise<void> => {
      const answer = await post('form.test', '/wp-admin/admin-ajax.php', form)
      expect(JSON.parse(answer.body)).toEqual({ data: 'x'.repeat(100_000), action: 'inline-save' })
    }
    expect(await isNewAfter('form.test', save)).toBe(true)
  })

  it('count the last of many changes', async () => {
    await body('many.test', '/post/')
    for (let count = 0; count < 10; count++) await post('many.test', '/wp-admin/post.php')
    const early = await body('many.test', '/post/')
    await eventually('the last counts', async () => (await body('many.test', '/post/')) !== early)
  })

  it('keep private pages to themselves', async () => {
    const answer = await get(site.web.port, 'w.test', '/wp-admin/about.php')
    expect(answer.headers['cache-status']).toContain('detail=excluded')
    expect(await body('w.test', '/wp-admin/about.php')).not.toBe(answer.body)
    const open = await body('x.test', '/wp-admin/about.php')
    expect(await body('x.test', '/wp-admin/about.php')).toBe(open)
  })

  it('are nothing to a site whose owner says so', async () => {
    expect(await isNewAfter('x.test', () => post('x.test', '/wp-admin/post.php'))).toBe(false)
  })
})
