import { expect, test } from 'vitest'
import type { MakeApiInstance } from '../frame/api-instance.ts'
import { accountClient, apiClient, createAccount } from '../frame/api-instance.ts'
import { apiGroup } from '../frame/api-suite.ts'

/** The licence in force. */
export const licenseContract = (makeInstance: MakeApiInstance): void => {
  apiGroup('licence', makeInstance, (shared) => {
    test('is Community without a file', async () => {
      expect((await shared.admin.get('/api/license')).body.data).toEqual({
        tier: 'community',
        valid: true,
        accounts_limit: 5,
        domains_limit: 10,
        holder: null,
        expires_at: null,
        problem: null,
      })
    })

    test('is for administrators', async () => {
      await createAccount(shared.admin, 'alice')
      expect(
        (await (await accountClient(shared.instance, 'alice')).get('/api/license')).status,
      ).toBe(403)
      expect((await apiClient(shared.instance).get('/api/license')).status).toBe(401)
    })
  })
}
