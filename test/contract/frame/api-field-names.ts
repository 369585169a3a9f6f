import { expect, test } from 'vitest'
import type { PanelDeps } from '#handlers/panel/deps.ts'
import { isStrict } from '#handlers/panel/frame/route.ts'
import { allRoutes } from '#handlers/panel/routes.ts'
import type { Services } from '#handlers/services/services.ts'
import type { MakeApiInstance } from './api-instance.ts'
import { createAccount } from './api-instance.ts'
import { apiGroup } from './api-suite.ts'

const ROUTES = allRoutes({} as PanelDeps, {} as Services)
/** What may change or remove something, with parameters that are well formed and lead to nothing. */
const STRICT = ROUTES.filter((route) => !route.open && isStrict(route)).map(
  ({ method, path }) =>
    [
      method,
      path
        .replace(':filename', 'alice-20260101-000000.tar.gz')
        .replace(':domain', 'alice.example')
        .replace(':snapshot', 'a'.repeat(64))
        .replace(/:\w+[+*?]?/g, '1'),
    ] as const,
)

/** What becomes of fields that a route does not know. */
export const fieldNamesContract = (makeInstance: MakeApiInstance): void => {
  apiGroup('names of fields', makeInstance, (shared) => {
    const backup = async (): Promise<string> => {
      const { body } = await shared.admin.post('/api/backups/accounts/1')
      return (body.data as { filename: string }).filename
    }

    test('there is an account', async () => {
      await createAccount(shared.admin, 'alice')
      expect((await shared.admin.get('/api/accounts')).body.data).toHaveLength(1)
    })

    test.each(STRICT)('%s %s refuses a parameter that it does not know', async (method, path) => {
      const answer = await shared.admin.send(method, `${path}?zzunknown=1`)
      expect([answer.status, answer.headers.get('x-error-field')]).toEqual([400, 'zzunknown'])
      expect(answer.body.error).toContain('"zzunknown"')
    })

    test.each([
      ['POST', '/api/backups/accounts/1', { location: 'local' }, 'location', '"target"'],
      ['PATCH', '/api/accounts/1', { diskQuotaMb: 9 }, 'diskQuotaMb', '"disk_quota_mb"'],
      ['PATCH', '/api/accounts/1', { email: 'a@b.example', colour: 1 }, 'colour', 'It takes email'],
      ['PATCH', '/api/domains/1', { cache_enable: true }, 'cache_enable', '"cache_enabled"'],
      ['POST', '/api/domains', { domian_name: 'x.example' }, 'domian_name', '"domain_name"'],
      ['POST', '/api/backups/cleanup', { days: 4 }, 'days', '"retention_days"'],
      ['POST', '/api/accounts', { user_name: 'bob' }, 'user_name', '"username"'],
    ])('%s %s with %j names the right one', async (method, path, body, field, said) => {
      const answer = await shared.admin.send(method, path, body)
      expect([answer.status, answer.headers.get('x-error-field')]).toEqual([400, field])
      expect(answer.body.error).toContain(said)
    })

    test('a parameter that is nearly a known one is not ignored', async () => {
      const answer = await shared.admin.get('/api/accounts?perpage=1')
      expect([answer.status, answer.headers.get('x-error-field')]).toEqual([400, 'perpage'])
      expect(answer.body.error).toContain('"per_page"')
    })

    test('a restore or a deletion that names its copy in the wrong place does nothing', async () => {
      const filename = await backup()
      const restore = `/api/backups/accounts/1/restore/${filename}`
      const misplaced = await shared.admin.post(restore, { location: 'offsite' })
      expect([misplaced.status, misplaced.body.error]).toEqual([
        400,
        '"location" belongs into the query of the address, not into the body.',
      ])
      expect((await shared.admin.post(restore, { scope: 'files' })).body.error).toContain('"what"')
      const path = `/api/backups/accounts/1/${filename}`
      const headers = {
        authorization: `Bearer ${shared.admin.token}`,
        'content-type': 'application/json',
      }
      for (const body of ['{"location":"offsite"}', '{"x":1}', '[]', 'offsite']) {
        const response = await shared.instance.fetch(path, { method: 'DELETE', headers, body })
        await response.body?.cancel()
        expect([body, response.status]).toEqual([body, 400])
      }
      expect((await shared.admin.del(path)).status).toBe(200)
    })

    test('what else is unknown is ignored, as it is said', async () => {
      const answer = await shared.admin.post('/api/domains?zzunknown=1', {
        account_id: 1,
        domain_name: 'more.example',
        domain_type: 'addon',
        document_root: '/home/alice/more',
        zzunknown: 1,
      })
      expect(answer.status).toBe(200)
    })
  })
}
