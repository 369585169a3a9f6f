import { beforeAll, expect, test } from 'vitest'
import type { MakeApiInstance } from '../frame/api-instance.ts'
import { accountClient, createAccount } from '../frame/api-instance.ts'
import { apiGroup } from '../frame/api-suite.ts'

/** Drift between records and host; what is found is tested in `test/unit/services/doctor.test.ts`. */
export const doctorContract = (makeInstance: MakeApiInstance): void => {
  apiGroup('doctor', makeInstance, (shared) => {
    beforeAll(() => createAccount(shared.admin, 'alice'))

    test('finds nothing on a sound host, before and after a repair', async () => {
      const { body } = await shared.admin.get('/api/doctor')
      expect(body.data).toEqual({ clean: true, findings: [] })
      const fixed = await shared.admin.post('/api/doctor/fix')
      expect(fixed.body.data).toEqual({ clean: true, findings: [], repaired: [], failed: [] })
    })

    test('is for administrators alone', async () => {
      const alice = await accountClient(shared.instance, 'alice')
      expect((await alice.get('/api/doctor')).status).toBe(403)
      expect((await alice.post('/api/doctor/fix')).status).toBe(403)
    })
  })
}
