import { createHash, randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import type { ModeSite } from './start-mode-site.ts'

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')

interface Form {
  post: Record<string, string>
  get: Record<string, string>
  cookie: Record<string, string>
  files: [string, string, number, string, boolean, string][]
}

/** Request bodies. */
export const bodiesSuite = (site: () => ModeSite): void => {
  const raw = { 'Content-Type': 'application/octet-stream' }

  it('takes bodies of every method as they are', async () => {
    const body = randomBytes(70_000)
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      const answer = await site().visit('/body.php', {
        method,
        body,
        headers: { ...raw, 'Content-Length': String(body.length) },
      })
      expect(answer.text).toBe(`${method} 70000 ${sha256(body)} 70000`)
    }
  })

  it('takes an empty body, and none', async () => {
    const none = sha256(Buffer.alloc(0))
    const empty = await site().visit('/body.php', {
      method: 'POST',
      headers: { ...raw, 'Content-Length': '0' },
    })
    expect(empty.text).toBe(`POST 0 ${none} 0`)
    expect((await site().visit('/body.php')).text).toBe(`GET 0 ${none} none`)
    expect((await site().visit('/body.php', { method: 'OPTIONS' })).text).toMatch(/^OPTIONS 0 /)
  })

  it('counts bodies that come in chunks', async () => {
    for (const size of [10, 3_000_000]) {
      const body = randomBytes(size)
      const answer = await site().visit('/body.php', {
        method: 'POST',
        body,
        headers: { ...raw, 'Transfer-Encoding': 'chunked' },
      })
      expect(answer.text).toBe(`POST ${size} ${sha256(body)} ${size}`)
    }
  })

  it('reads forms, queries and cookies', async () => {
    const answer = await site().visit('/form.php?g=1&h%5B%5D=2', {
      method: 'POST',
      body: 'name=J%C3%BCrgen&list%5B%5D=a&list%5B%5D=b',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded', Cookie: 'c=%20d' },
    })
    expect(JSON.parse(answer.text)).toEqual({
      post: { name: 'Jürgen', list: ['a', 'b'] },
      get: { g: '1', h: ['2'] },
      cookie: { c: ' d' },
      files: [],
    })
  })

  it('takes several files, a large one among them', async () => {
    const form = new FormData()
    const large = randomBytes(12 * 2 ** 20)
    const small = Buffer.from('\r\n--boundary\0\xff', 'latin1')
    form.set('title', 'two')
    form.set('one', new File([small], 'small ü.bin'))
    form.append('more[]', new File([large], 'large.bin'))
    form.append('more[]', new File([], 'empty.bin'))
    const encoded = new Response(form)
    const answer = await site().visit('/form.php', {
      method: 'POST',
      headers: { 'Content-Type': encoded.headers.get('content-type') ?? '' },
      body: Buffer.from(await encoded.arrayBuffer()),
    })
    const { post, files } = JSON.parse(answer.text) as Form
    const kept = site().tenant.path('tmp')
    expect(post).toEqual({ title: 'two' })
    expect(files).toEqual([
      ['one', 'small ü.bin', small.length, sha256(small), true, kept],
      ['more', 'large.bin', large.length, sha256(large), true, kept],
      ['more', 'empty.bin', 0, sha256(Buffer.alloc(0)), true, kept],
    ])
  })

  it('answers although the script does not read the body', async () => {
    const body = randomBytes(6 * 2 ** 20)
    for (let round = 0; round < 3; round++) {
      const answer = await site().visit('/ignore-body.php', { method: 'POST', body, headers: raw })
      expect([answer.status, answer.text]).toEqual([200, 'did not look'])
    }
  })
}
