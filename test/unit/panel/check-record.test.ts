import { expect, it } from 'vitest'
import { checkRecord } from '#handlers/panel/backups/check-record.ts'
import { newRecord } from '#test/contract/backups/archived-record.ts'

it('an archive of very many cron jobs and domains holds up nobody while it is judged', async () => {
  const { record } = newRecord('alice')
  const [domain] = record.domains
  const job = {
    ...{ kind: 'command' as const, command: '["true"]', enabled: true, overlap: 'skip' as const },
    ...{ schedule: '0 0 29 2 *', time_zone: 'UTC', time_limit_secs: 60, notify_after: 3 },
  }
  const hostile = {
    ...record,
    cron: Array.from({ length: 1000 }, (_, n) => ({ ...job, name: `job ${n}` })),
    domains: Array.from({ length: 1000 }, (_, n) => ({
      ...(domain as NonNullable<typeof domain>),
      domain_name: `d${n}.example`,
    })),
  }
  let turns = 0
  const timer = setInterval(() => turns++, 0)
  await checkRecord(hostile, {})
  clearInterval(timer)
  expect(turns).toBeGreaterThanOrEqual(50)
  const wrong = { ...hostile, cron: [...hostile.cron, { ...job, name: 'last', command: '[]' }] }
  await expect(checkRecord(wrong, {})).rejects.toMatchObject({ status: 400 })
})
