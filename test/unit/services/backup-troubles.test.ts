import { expect, it } from 'vitest'
import { accountClient, type ApiClient } from '#test/contract/frame/api-instance.ts'
import { admin, api, freshApi } from '#test/support/setups/fresh-api.ts'

interface Told {
  message: string
  state: string
  title: string
}

freshApi('alice')

const told = async (client: ApiClient, query = ''): Promise<Told[]> =>
  ((await client.get(`/api/notifications?kind=backup${query}`)).body.data as Told[]).map(
    ({ message, state, title }) => ({ message, state, title }),
  )
const look = async (): Promise<void> => {
  api.clock.advanceSecs(360)
  await api.app.tellNotifications()
}

it('a backup that failed is told to account and administrators, and over with the next one', async () => {
  const alice = await accountClient(api, 'alice')
  api.host.backups.failures.push(new Error('the disk broke'))
  expect((await admin.post('/api/backups/accounts/1')).status).toBeGreaterThanOrEqual(400)
  await look()
  const standing = {
    message: 'backup.failed',
    state: 'standing',
    title: 'A backup of alice failed',
  }
  expect(await told(alice)).toEqual([standing])
  expect(await told(admin, '&language=en')).toEqual([standing])
  expect(await told(alice, '&language=de')).toMatchObject([
    { title: 'Eine Sicherung von alice schlug fehl' },
  ])
  await look()
  expect(await told(alice)).toHaveLength(1)
  expect((await admin.post('/api/backups/accounts/1')).status).toBe(200)
  await look()
  expect(await told(alice)).toMatchObject([{ message: 'backup.failed', state: 'resolved' }])
})
