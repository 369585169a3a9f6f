import { stat } from 'node:fs/promises'
import { beforeAll, describe, expect, test } from 'vitest'
import type { SiteResponse } from '#test/support/instance-types.ts'
import { Tenant } from '#test/support/tenant.ts'
import { instance, panel, shareInstance } from '#test/support/setups/shared-instance.ts'
import { BrowserLike } from './support/browser-like.ts'
import { installDokuwiki, installMediawiki, PASSWORD } from './support/wiki-sites.ts'

let dokuwiki: Tenant
let mediawiki: Tenant
/** Bytes of each account's count of runs that were answered for. */
const counted = new Map<Tenant, number>()

/**
 * What a request was answered. Since the one before it PHP ran so often: one run too
 * many, even a late one in the background, shows here or at the next.
 */
const costs = async (
  runs: number,
  tenant: Tenant,
  request: Promise<SiteResponse>,
): Promise<SiteResponse> => {
  const answer = await request
  const before = counted.get(tenant) ?? 0
  const { size } = await stat(tenant.path('tmp/runs'))
  expect(size - before, `runs of ${answer.status} ${answer.headers['cache-status']}`).toBe(runs)
  counted.set(tenant, size)
  return answer
}
/** A visitor nobody has seen before. */
const stranger = (tenant: Tenant): BrowserLike => new BrowserLike(instance, tenant.domain)

/** The hidden fields of a page's form. */
const hiddenFields = ({ text }: SiteResponse, formId: string): Record<string, string> => {
  const at = text.indexOf(`id="${formId}"`)
  expect(at, `${formId} in ${text.slice(0, 2000)}`).toBeGreaterThan(0)
  const form = text.slice(text.lastIndexOf('<form', at), text.indexOf('</form>', at))
  const fields: Record<string, string> = {}
  for (const [input] of form.matchAll(/<input\b[^>]*>/g)) {
    const of = (name: string): string =>
      new RegExp(`\\s${name}=["']([^"']*)`).exec(input)?.[1]?.replaceAll('&amp;', '&') ?? ''
    if (of('type') === 'hidden' && of('name') !== '') fields[of('name')] = of('value')
  }
  return fields
}

shareInstance()
beforeAll(async () => {
  dokuwiki = await Tenant.create(panel, 'pro')
  mediawiki = await Tenant.create(panel, 'pro')
  await installDokuwiki(dokuwiki)
  await installMediawiki(instance, panel, mediawiki)
})

describe('DokuWiki, which forbids to keep any page: a session for everybody, no-store, Vary: Cookie', () => {
  test('an anonymous visitor gets a page of his own at every view, for one run each', async () => {
    const visitor = stranger(dokuwiki)
    const first = await costs(1, dokuwiki, visitor.get('/doku.php/start'))
    expect([first.status, first.headers['x-cache']]).toEqual([200, 'MISS'])
    expect(first.headers['cache-control']).toContain('no-store')
    expect(first.headers['vary']).toContain('Cookie')
    expect(visitor.cookieNames()).toContain('DokuWiki')
    for (const path of ['/doku.php/start', '/', '/doku.php?id=start', '/doku.php/no:such:page']) {
      for (const who of [visitor, stranger(dokuwiki), stranger(dokuwiki)]) {
        const view = await costs(1, dokuwiki, who.get(path))
        expect(view.headers['x-cache'], path).toBe('MISS')
      }
    }
    const head = await costs(1, dokuwiki, visitor.request('/doku.php/start', { method: 'HEAD' }))
    expect([head.status, head.text]).toEqual([200, ''])
  })

  test('what an editor saves is there at the next view, and his pages are his alone', async () => {
    const editor = stranger(dokuwiki)
    const form = await costs(1, dokuwiki, editor.get('/doku.php?id=start&do=login'))
    const login = { ...hiddenFields(form, 'dw__login'), do: 'login', u: 'editor', p: PASSWORD }
    const done = await costs(1, dokuwiki, editor.post('/doku.php?id=start', login))
    expect([200, 302], done.text).toContain(done.status)
    for (const text of ['The ferry sails.', 'The ferry is late.']) {
      const edit = await costs(1, dokuwiki, editor.get('/doku.php?id=start&do=edit'))
      const saved = await costs(
        1,
        dokuwiki,
        editor.post('/doku.php?id=start', {
          ...hiddenFields(edit, 'dw__editform'),
          wikitext: text,
          summary: '',
          'do[save]': '1',
        }),
      )
      expect(saved.status, saved.text.slice(0, 2000)).toBe(302)
      for (const path of ['/doku.php/start', '/doku.php?id=start']) {
        const view = await costs(1, dokuwiki, stranger(dokuwiki).get(path))
        expect(view.text, path).toContain(text)
        expect(view.text).not.toContain('do=logout')
        const own = await costs(1, dokuwiki, editor.get(path))
        expect(own.headers['x-cache']).toBe('MISS')
        expect(own.text).toContain('do=logout')
      }
    }
  })
})

describe('MediaWiki', () => {
  const page = '/index.php/Main_Page'
  const edit = '/index.php?title=Main_Page&action=edit'
  let editor: BrowserLike
  /** Saves the main page as a browser does, which sends this form as multipart. */
  const save = async (text: string): Promise<void> => {
    const form = new FormData()
    const fields = hiddenFields(await costs(1, mediawiki, editor.get(edit)), 'editform')
    for (const [name, value] of Object.entries({ ...fields, wpTextbox1: text, wpSave: 'Save' }))
      form.set(name, value)
    const sent = new Response(form)
    const saved = await costs(
      1,
      mediawiki,
      editor.request('/index.php?title=Main_Page&action=submit', {
        method: 'POST',
        headers: { 'content-type': sent.headers.get('content-type')! },
        body: Buffer.from(await sent.arrayBuffer()),
      }),
    )
    expect(saved.status, saved.text.slice(0, 3000)).toBe(302)
  }
  const expectOwn = async (path: string): Promise<void> => {
    const own = await costs(1, mediawiki, editor.get(path))
    expect(own.headers['x-cache']).toBe('MISS')
    expect(own.text).toContain('id="pt-logout"')
  }

  test('an editor logs in, and sees his own pages', async () => {
    editor = stranger(mediawiki)
    const path = '/index.php?title=Special:UserLogin'
    const form = await costs(1, mediawiki, editor.get(path))
    const login = await costs(
      1,
      mediawiki,
      editor.post(path, {
        ...hiddenFields(form, 'wpName1'),
        wpName: 'Editor',
        wpPassword: PASSWORD,
      }),
    )
    expect(login.status, login.text.slice(0, 3000)).toBe(302)
    for (const address of [page, page, edit]) await expectOwn(address)
  })

  test('told to share them it has them kept for visitors, and a change is seen at the next view', async () => {
    await mediawiki.put('tmp/shared', '')
    const first = await costs(1, mediawiki, stranger(mediawiki).get(page))
    expect(first.headers['x-cache']).toBe('MISS')
    const second = await costs(0, mediawiki, stranger(mediawiki).get(page))
    expect(second.headers['x-cache']).toBe('HIT')
    expect(second.body.equals(first.body)).toBe(true)
    await expectOwn(page)
    // A site's pages change at once when they did not in the last two seconds.
    const ageSecs = async (): Promise<number> =>
      Number((await stranger(mediawiki).get(page)).headers['age'] ?? 0)
    await expect.poll(ageSecs, { timeout: 20_000 }).toBeGreaterThan(2)

    await save('The ferry sails.')
    const changed = await costs(1, mediawiki, stranger(mediawiki).get(page))
    expect(changed.text).toContain('The ferry sails.')
    await expectOwn(page)
    const kept = await costs(0, mediawiki, stranger(mediawiki).get(page))
    expect(kept.headers['x-cache']).toBe('HIT')
    expect(kept.text).toContain('The ferry sails.')
    expect(kept.text).not.toContain('id="pt-logout"')
    // A log-in form gives a session: from then on the pages are this visitor's own.
    const visitor = stranger(mediawiki)
    await costs(1, mediawiki, visitor.get('/index.php?title=Special:UserLogin'))
    const own = await costs(1, mediawiki, visitor.get(page))
    expect(own.headers['x-cache']).toBe('MISS')
  })

  test('as it comes its pages are private and vary by cookies: never kept, one run each', async () => {
    await mediawiki.run('rm', ['--', mediawiki.path('tmp/shared')])
    await save('The ferry is late.')
    // The change may follow two seconds after the last one.
    const seen = async (): Promise<string> => (await stranger(mediawiki).get(page)).text
    await expect.poll(seen, { timeout: 10_000 }).toContain('The ferry is late.')
    counted.set(mediawiki, (await stat(mediawiki.path('tmp/runs'))).size)
    for (const path of [page, page, page, '/index.php?title=Main_Page', '/index.php/No_such']) {
      const view = await costs(1, mediawiki, stranger(mediawiki).get(path))
      expect(view.headers['x-cache'], path).toBe('MISS')
      expect(view.headers['cache-control'], path).toContain('private')
      expect(view.headers['vary'], path).toContain('Cookie')
    }
    const head = await costs(1, mediawiki, stranger(mediawiki).request(page, { method: 'HEAD' }))
    expect([head.status, head.text]).toEqual([200, ''])
  })
})

test.each([
  ['DokuWiki', () => dokuwiki],
  ['MediaWiki', () => mediawiki],
])('a link beside %s works once, at the first click', async (_name, tenantOf) => {
  const tenant = tenantOf()
  counted.set(tenant, (await stat(tenant.path('tmp/runs'))).size)
  await tenant.put('tmp/token-4f2a9c', '')
  const link = '/confirm.php/4f2a9c'
  const checked = await costs(1, tenant, stranger(tenant).request(link, { method: 'HEAD' }))
  expect([checked.status, checked.text]).toEqual([200, ''])
  const visitor = stranger(tenant)
  const first = await costs(1, tenant, visitor.get(link))
  expect([first.status, first.headers['location']]).toEqual([302, '/thanks.html'])
  expect((await costs(0, tenant, visitor.get('/thanks.html'))).text).toContain('Thanks')
  const second = await costs(1, tenant, visitor.get(link))
  expect([second.status, second.text]).toEqual([200, '<p>This link was used.</p>'])
  expect((await stranger(tenant).get('/confirm.php/unknown')).text).toContain('used')
})
