import { expect, test } from 'vitest'
import { accountClient, apiClient, createAccount } from '../frame/api-instance.ts'
import type { MakeApiInstance } from '../frame/api-instance.ts'
import { apiGroup } from '../frame/api-suite.ts'

const PATH = '/api/backups/refills'

/** Contents of accounts after an import of the panel, on one that began by itself. */
export const refillsContract = (makeInstance: MakeApiInstance): void => {
  apiGroup('refills', makeInstance, (shared) => {
    test('are for administrators, and there are none without an import', async () => {
      await createAccount(shared.admin, 'alice')
      const alice = await accountClient(shared.instance, 'alice')
      for (const method of ['GET', 'POST']) {
        expect((await apiClient(shared.instance).send(method, PATH)).status).toBe(401)
        expect((await alice.send(method, PATH)).status).toBe(403)
      }
      expect((await shared.admin.get(PATH)).body.data).toEqual({ imported_at: null, accounts: [] })
      expect((await shared.admin.post(PATH)).status).toBe(409)
    })

    test.each([
      ['at_once', { at_once: 0 }],
      ['at_once', { at_once: 17 }],
      ['at_once', { at_once: 'all' }],
      ['from', { from: 7 }],
      ['accounts', { accounts: 'alice' }],
    ])('refuse a wrong %s', async (field, body) => {
      const answer = await shared.admin.post(PATH, body)
      expect([answer.status, answer.headers.get('x-error-field')]).toEqual([400, field])
    })
  })
}
