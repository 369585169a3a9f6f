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
      // No schedule is set there.
      const skipped = [{ check: 'backup', reason: expect.stringContaining('schedule') }]
      expect(body.data).toEqual({ clean: true, findings: [], skipped })
      const fixed = await shared.admin.post('/api/doctor/fix')
      expect(fixed.body.data).toEqual({
        ...{ clean: true, findings: [], skipped },
        ...{ repaired: [], failed: [] },
      })
    })

    test('tells what is wrong with the machine, what comes of it and what to do, and what it could not see', async () => {
      const { machine } = shared.instance.host
      const before = machine.now
      machine.now = {
        ...before,
        ports: {
          seen: true,
          value: ['Port 80 (0.0.0.0:80) is held by nginx (process 7). Stop it.'],
        },
        packages: { seen: false, reason: 'there is no apt' },
      }
      const { body } = await shared.admin.get('/api/doctor')
      machine.now = before
      expect(body.data).toMatchObject({
        clean: false,
        findings: [
          {
            kind: 'port',
            level: 'fault',
            subject: 'port 80',
            what: 'is held by nginx (process 7)',
            why: expect.stringContaining('Visitors'),
            fix: expect.stringContaining('Stop it.'),
            repairable: false,
          },
        ],
        skipped: [{ check: 'backup' }, { check: 'package', reason: 'there is no apt' }],
      })
    })

    test('is for administrators alone', async () => {
      const alice = await accountClient(shared.instance, 'alice')
      expect((await alice.get('/api/doctor')).status).toBe(403)
      expect((await alice.post('/api/doctor/fix')).status).toBe(403)
    })
  })
}
