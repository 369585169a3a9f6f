import { describe, expect, it } from 'vitest'
import { watchForm } from '#handlers/sites/paths/form-ends.ts'
import { createSiteApplications } from '#handlers/sites/page-cache/site-applications.ts'
import type { FileKind, FilePlace } from '#handlers/sites/site-files.ts'
import { DEFAULT_CACHE_RULE } from '#edge-cache/config.ts'
import { hostConfig } from '#test/node/web-server/support/engine-server.ts'

const setUp = (paths: string[]) => {
  const files = new Set(paths)
  const asked: FilePlace[] = []
  const found: string[] = []
  const state = { nowMs: 1000, failure: null as Error | null }
  const applications = createSiteApplications({
    files: {
      judge: async (place): Promise<FileKind> => {
        asked.push(place)
        if (state.failure) throw state.failure
        return files.has(`${place.root}${place.path}`) ? 'file' : 'missing'
      },
    },
    changed: () => Promise.resolve(),
    recognised: async ({ domain }, application) => void found.push(`${domain} ${application}`),
    nowMs: () => state.nowMs,
  })
  const name = async (vhost = host(), method = 'GET'): Promise<string | null> =>
    (await applications.of(vhost, method))?.name ?? null
  return { files, asked, found, state, applications, name }
}
const host = (application: string | null = null) =>
  hostConfig('a.test', {
    root: '/home/a/site/public',
    home: '/home/a',
    uid: 1000,
    cache: { ...DEFAULT_CACHE_RULE, application },
  })
const WORDPRESS = ['wp-login.php', 'wp-includes/version.php'].map(
  (path) => `/home/a/site/public/${path}`,
)

describe('recognising applications', () => {
  it('looks at the document root once, and again after half a minute while it is asked for', async () => {
    const { files, asked, found, state, applications, name } = setUp([])
    expect(await Promise.all([name(), name()])).toEqual([null, null])
    const looked = asked.length
    expect(new Set(asked.map(({ root, path }) => root + path)).size).toBe(looked)
    for (const { home, uid } of asked) expect([home, uid]).toEqual(['/home/a', 1000])
    for (const path of WORDPRESS) files.add(path)
    state.nowMs += 29_999
    expect(applications.of(host(), 'GET')).toBeNull()
    expect(asked.length).toBe(looked)
    state.nowMs += 1
    // What was known is told meanwhile.
    expect(applications.of(host(), 'GET')).toBeNull()
    await expect.poll(() => found).toEqual(['a.test null', 'a.test wordpress'])
    expect(await name()).toBe('wordpress')
  })

  it('looks again sooner where nothing was, once something may change it', async () => {
    const { files, found, state, asked, name } = setUp([])
    expect(await name()).toBeNull()
    for (const path of WORDPRESS) files.add(path)
    state.nowMs += 1999
    expect(await name(host(), 'POST')).toBeNull()
    state.nowMs += 1
    expect(await name()).toBeNull()
    expect(await name(host(), 'POST')).toBe('wordpress')
    expect(found).toEqual(['a.test null', 'a.test wordpress'])
    const looked = asked.length
    state.nowMs += 2000
    expect(await name(host(), 'POST')).toBe('wordpress')
    expect(asked.length).toBe(looked)
  })

  it('sees what lies beside the document root', async () => {
    const { name } = setUp(['/home/a/site/artisan', '/home/a/site/bootstrap/app.php'])
    expect(await name()).toBe('laravel')
  })

  it("takes the owner's word without looking", async () => {
    const { asked, name } = setUp(WORDPRESS)
    expect(await name(host('none'))).toBeNull()
    expect(await name(host('drupal'))).toBe('drupal')
    expect(asked).toEqual([])
    expect(await name()).toBe('wordpress')
  })

  it('keeps what it knows while the disk does not answer, and looks again', async () => {
    const { state, name, found } = setUp(WORDPRESS)
    state.failure = new Error('busy')
    expect(await name()).toBeNull()
    state.failure = null
    expect(await name()).toBe('wordpress')
    state.failure = new Error('busy')
    state.nowMs += 30_000
    expect(await name()).toBe('wordpress')
    expect(found).toEqual(['a.test wordpress'])
  })
})

describe('the ends of a form', () => {
  const watch = async (body: string, type = 'application/x-www-form-urlencoded') => {
    const request = new Request('http://a.test/', {
      method: 'POST',
      body,
      headers: { 'content-type': type },
    })
    const watched = watchForm(request)
    if (watched === null) return null
    expect(watched.text()).toBeNull()
    expect(watched.request.method).toBe('POST')
    expect(await watched.request.text()).toBe(body)
    return watched.text()
  }

  it('are known once the form has passed, which stays as it is', async () => {
    expect(await watch('a=1&action=x')).toBe('a=1&action=x')
    const middling = `a=1&b=${'x'.repeat(6000)}&c=3`
    expect(await watch(middling)).toBe(middling)
    const text = `first=1&${'long=text&'.repeat(50_000)}last=2`
    const kept = new URLSearchParams((await watch(text)) ?? '')
    expect([kept.get('first'), kept.get('last')]).toEqual(['1', '2'])
    expect(new Set(kept.keys())).toEqual(new Set(['first', 'long', 'last']))
    expect(kept.toString().length).toBeLessThan(8192)
  })

  it('are not those of anything else', async () => {
    expect(await watch('a=1', 'multipart/form-data; boundary=x')).toBeNull()
    expect(await watch('a=1', 'application/json')).toBeNull()
    expect(watchForm(new Request('http://a.test/'))).toBeNull()
    expect(await watch('a=1', 'application/x-www-form-urlencoded; charset=UTF-8')).toBe('a=1')
  })
})
