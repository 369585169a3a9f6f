import { beforeAll, expect, test } from 'vitest'
import type { MakeApiInstance } from '../frame/api-instance.ts'
import { accountClient, createAccount } from '../frame/api-instance.ts'
import { apiGroup } from '../frame/api-suite.ts'

const BAD_PATHS = [
  '../x',
  'a/../../x',
  '/..',
  'a\\b',
  'a\0b',
  'a\nb',
  'x'.repeat(256),
  'x/'.repeat(2100),
]

/** Files of accounts. */
export const filesContract = (makeInstance: MakeApiInstance): void => {
  apiGroup('files', makeInstance, (shared) => {
    beforeAll(async () => {
      await createAccount(shared.admin, 'alice')
      await createAccount(shared.admin, 'bobby')
    })
    const at = (path: string, more: Record<string, unknown> = {}) => ({
      account_id: 1,
      path,
      ...more,
    })

    test('list shows entries; without a path those of the home', async () => {
      const home = await shared.admin.get('/api/files/list?account_id=1')
      expect(home.body.data).toContainEqual({
        name: 'public_html',
        path: 'public_html',
        type: 'directory',
        size: 0,
        permissions: '0755',
        modified_at: expect.any(String),
        owner: 'alice',
      })
      const inner = await shared.admin.get('/api/files/list?account_id=1&path=public_html/')
      expect(inner.body.data).toEqual([expect.objectContaining({ name: 'index.html' })])
    })

    test('write, read, overwrite', async () => {
      const written = await shared.admin.post(
        '/api/files/write',
        at('public_html/a.txt', { content: 'Grüße' }),
      )
      expect(written.body.data).toMatchObject({ path: 'public_html/a.txt', permissions: '0644' })
      const read = await shared.admin.get('/api/files/read?account_id=1&path=public_html/a.txt')
      expect(read.body.data).toEqual({
        path: 'public_html/a.txt',
        content: 'Grüße',
        encoding: 'utf8',
        size: 7,
        modified_at: expect.any(String),
      })
      await shared.admin.post('/api/files/write', at('public_html/a.txt', { content: '' }))
      const empty = await shared.admin.get('/api/files/read?account_id=1&path=public_html/a.txt')
      expect(empty.body.data).toMatchObject({ content: '', size: 0 })
    })

    test('bytes go through as base64', async () => {
      const content = btoa('\xff\xfe\x00')
      await shared.admin.post('/api/files/write', at('b.bin', { content, encoding: 'base64' }))
      const read = await shared.admin.get('/api/files/read?account_id=1&path=b.bin')
      expect(read.body.data).toMatchObject({ content, encoding: 'base64', size: 3 })
    })

    test('a file may have 10 MiB with its JSON, not more', async () => {
      const content = 'x'.repeat(9 * 2 ** 20)
      const fine = await shared.admin.post('/api/files/write', at('big.txt', { content }))
      expect(fine.status).toBe(200)
      const tooBig = 'x'.repeat(10 * 2 ** 20)
      const refused = await shared.admin.post(
        '/api/files/write',
        at('big.txt', { content: tooBig }),
      )
      expect(refused.status).toBe(413)
    })

    test('mkdir, chmod, delete', async () => {
      expect((await shared.admin.post('/api/files/mkdir', at('a/b/c'))).body.data).toMatchObject({
        path: 'a/b/c',
        type: 'directory',
      })
      expect((await shared.admin.post('/api/files/mkdir', at('a/b'))).status).toBe(409)
      const mode = await shared.admin.post('/api/files/chmod', at('a/b', { mode: '700' }))
      expect(mode.body.data).toMatchObject({ permissions: '0700' })
      expect((await shared.admin.del('/api/files/delete', at('a'))).status).toBe(200)
      expect((await shared.admin.get('/api/files/list?account_id=1&path=a')).status).toBe(404)
    })

    test.each(BAD_PATHS)('refuses the path %j everywhere', async (path) => {
      const query = `account_id=1&path=${encodeURIComponent(path)}`
      const answers = [
        await shared.admin.get(`/api/files/list?${query}`),
        await shared.admin.get(`/api/files/read?${query}`),
        await shared.admin.post('/api/files/write', at(path, { content: 'x' })),
        await shared.admin.post('/api/files/mkdir', at(path)),
        await shared.admin.post('/api/files/chmod', at(path, { mode: '644' })),
        await shared.admin.del('/api/files/delete', at(path)),
      ]
      for (const { status, headers } of answers) {
        expect(status).toBe(400)
        expect(headers.get('x-error-field')).toBe('path')
      }
    })

    test.each(['', '/', '.', './/'])(
      'the home itself (%j) is not to be deleted or written',
      async (path) => {
        expect((await shared.admin.del('/api/files/delete', at(path))).status).toBe(400)
        expect(
          (await shared.admin.post('/api/files/write', at(path, { content: '' }))).status,
        ).toBe(400)
      },
    )

    test.each(['4755', '7777', 'u+s', '-644', '8', '64', '0x1', '1777', ''])(
      'refuses the mode %j',
      async (mode) => {
        const answer = await shared.admin.post('/api/files/chmod', at('public_html', { mode }))
        expect(answer.status).toBe(400)
        expect(answer.headers.get('x-error-field')).toBe('mode')
      },
    )

    test('missing fields are 400, missing things 404, wrong kinds 409', async () => {
      const { admin } = shared
      expect((await admin.get('/api/files/list')).status).toBe(400)
      expect((await admin.get('/api/files/read?account_id=1')).status).toBe(400)
      expect((await admin.get('/api/files/list?account_id=x&path=a')).status).toBe(400)
      expect((await admin.post('/api/files/write', at('x'))).status).toBe(400)
      expect((await admin.post('/api/files/mkdir', { account_id: 1 })).status).toBe(400)
      expect((await admin.post('/api/files/chmod', at('public_html'))).status).toBe(400)
      expect((await admin.del('/api/files/delete', { path: 'x' })).status).toBe(400)
      expect((await admin.get('/api/files/read?account_id=1&path=none')).status).toBe(404)
      expect((await admin.get('/api/files/list?account_id=99')).status).toBe(404)
      expect((await admin.del('/api/files/delete', at('none'))).status).toBe(404)
      expect((await admin.get('/api/files/read?account_id=1&path=public_html')).status).toBe(409)
      expect(
        (await admin.post('/api/files/write', at('public_html', { content: 'x' }))).status,
      ).toBe(409)
    })

    test('what changes files makes the pages of the sites they belong to new', async () => {
      const { admin } = shared
      /** How often the site was purged because of files, in a row or not. */
      const purges = async (domain: string): Promise<number> => {
        const { body } = await admin.get(`/api/cache/${domain}`)
        const { insight } = body.data as {
          insight: { purges: { cause: string; times: number }[] }
        }
        return insight.purges
          .filter(({ cause }) => cause.startsWith('files'))
          .reduce((sum, { times }) => sum + times, 0)
      }
      const others = await purges('bobby.example')
      const touches = async (expected: boolean, change: () => Promise<{ status: number }>) => {
        const before = await purges('alice.example')
        expect((await change()).status).toBe(200)
        const made = (await purges('alice.example')) - before
        if (expected) expect(made).toBeGreaterThan(0)
        else expect(made).toBe(0)
      }
      const page = at('public_html/new.php', { content: '<?php' })
      await touches(true, () => admin.post('/api/files/write', page))
      await touches(false, () => admin.post('/api/files/write', at('notes.txt', { content: 'x' })))
      await touches(false, () => admin.get('/api/files/read?account_id=1&path=public_html/new.php'))
      await touches(true, () =>
        admin.post('/api/files/chmod', at('public_html/new.php', { mode: '640' })),
      )
      await touches(true, () =>
        admin.post('/api/files/move', at('public_html/new.php', { to: 'moved.php' })),
      )
      await touches(true, () =>
        admin.post('/api/files/copy', at('moved.php', { to: 'public_html/again.php' })),
      )
      await touches(true, () => admin.del('/api/files/delete', at('public_html/again.php')))
      expect(await purges('bobby.example')).toBe(others)
    })

    test('role account reaches its own home only', async () => {
      const bobby = await accountClient(shared.instance, 'bobby')
      expect((await bobby.get('/api/files/list?account_id=2')).status).toBe(200)
      expect((await bobby.get('/api/files/list?account_id=1')).status).toBe(404)
      expect((await bobby.get('/api/files/read?account_id=1&path=b.bin')).status).toBe(404)
      for (const path of ['write', 'mkdir', 'chmod']) {
        const body = at('b.bin', { content: 'x', mode: '644' })
        expect((await bobby.post(`/api/files/${path}`, body)).status).toBe(404)
      }
      expect((await bobby.del('/api/files/delete', at('b.bin'))).status).toBe(404)
    })
  })
}
