import { expect, it } from 'vitest'
import { accountClient, type ApiClient } from '#test/contract/frame/api-instance.ts'
import { unavailable } from '#handlers/errors.ts'
import { AWAY } from '#test/contract/backups/away-target.ts'
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

it('a copy is told to have failed also while its target is away and nothing can be removed there', async () => {
  const alice = await accountClient(api, 'alice')
  api.host.backups.configured = [AWAY]
  const error = unavailable('The target cannot be reached.')
  const { start } = api.host.backups
  api.host.backups.start = (work) => {
    if (work.kind === 'upload') api.host.backups.failures.push(error)
    return start(work)
  }
  api.host.inject({ method: 'backups.remove', when: 'before', error, times: 1000 })
  const made = await admin.post('/api/backups/accounts/1', { target: 'away' })
  expect(made.status).toBe(503)
  const open = await api.store.openOperations()
  expect(open.map(({ kind }) => kind)).toEqual(['backup.upload'])
  api.clock.advanceSecs(11)
  await api.app.tellNotifications()
  expect(await told(alice)).toMatchObject([{ message: 'backup.failed', state: 'standing' }])
  expect(api.host.mail.submitted.map(({ to }) => to)).toContain('alice@mail.example')
  api.host.clearFaults()
  api.host.backups.start = start
  expect((await admin.post('/api/backups/accounts/1', { target: 'away' })).status).toBe(200)
  await look()
  expect(await told(alice)).toMatchObject([{ message: 'backup.failed', state: 'resolved' }])
})
