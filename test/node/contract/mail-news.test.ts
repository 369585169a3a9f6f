import { expect, it } from 'vitest'
import { api, freshApi } from '#test/support/setups/fresh-api.ts'

freshApi('alice')

it('tells of what failed and of limits once, and of each account by its name', async () => {
  const { mail } = api.host
  mail.news = [
    {
      seq: 4,
      at: '2026-01-01 00:00:00',
      kind: 'failed',
      username: 'alice',
      message: 'm1',
      told: 'no',
    },
    {
      seq: 5,
      at: '2026-01-01 00:00:01',
      kind: 'limited',
      username: 'alice',
      message: null,
      told: 'all',
    },
    {
      seq: 6,
      at: '2026-01-01 00:00:02',
      kind: 'failed',
      username: null,
      message: 'm2',
      told: 'gone',
    },
  ]
  await api.app.collectMailNews()
  await api.app.collectMailNews()
  await api.app.dispatchEvents()
  const told = api.host.hooks.told.map(({ message }): unknown => JSON.parse(message))
  expect(told.filter((one) => JSON.stringify(one).includes('"mail.'))).toMatchObject([
    {
      event: 'mail.failed',
      username: 'alice',
      data: { account_id: 1, message: 'm1', reason: 'no' },
    },
    { event: 'mail.limited', username: 'alice', data: { account_id: 1, reason: 'all' } },
    { event: 'mail.failed', username: null, data: { message: 'm2', reason: 'gone' } },
  ])
  expect(mail.news).toEqual([])
})

it('tells the host how much each account may send', async () => {
  api.host.mail.limits.clear()
  await api.app.tellMail()
  expect(api.host.mail.limits.get('alice')).toBe(100)
})
