import { describe, expect, test } from 'vitest'
import { admin, api, freshApi } from '#test/support/setups/fresh-api.ts'

/** What becomes of pushes that the host tells. */
describe('pushes to repositories of applications', () => {
  freshApi('alice')

  const make = (name: string, change: object) =>
    admin.post('/api/applications', {
      ...{ account_id: 1, name, runtime_kind: 'node', start_command: 'node server.js' },
      ...change,
    })
  const push = (name: string, branch: string, username = 'alice') =>
    api.host.applications.push({ username, name, branch })
  const deployments = async (id: number) => api.store.listDeployments(id)

  test('to the branch that is built deploy it, once, and others nothing', async () => {
    await make('own', { source_push: true, source_branch: 'live' })
    await make('fetched', { source_url: 'https://example.com/team/fetched.git' })
    push('own', 'main')
    push('fetched', 'main')
    push('nothing', 'main')
    push('own', 'live', 'nobody')
    push('own', 'live')
    const told = () => [...api.host.applications.told.values()]
    const app = api.restart()
    await app.takePushes()
    await expect.poll(async () => (await deployments(1))[0]?.state).toBe('live')
    await app.takePushes()
    const why = (text: string) => expect.stringMatching(`^Nothing is deployed: ${text}\n$`)
    expect(told()).toEqual([
      why('own is built from live.'),
      why('fetched is not made from what is pushed to it.'),
      why('nothing is not made from what is pushed to it.'),
      why('the account is not active.'),
      expect.stringMatching(/^\$ git clone --branch live own\.git\n[^]*own is live\.\n$/),
    ])
    expect(await deployments(1)).toMatchObject([{ who: 'git push', source: 'git' }])
    expect(await deployments(2)).toEqual([])
    push('own', 'live')
    await app.takePushes()
    await expect.poll(async () => (await deployments(1)).length).toBe(2)
  })

  test('let git in as long as there is a repository to push to', async () => {
    const told = () => api.host.sftp.logins.get('alice')?.git
    await make('own', { source_push: true })
    expect(told()).toBe(true)
    await admin.send('PATCH', '/api/applications/1/own', { source_push: false })
    expect(told()).toBeUndefined()
    await admin.send('PATCH', '/api/applications/1/own', { source_push: true })
    expect(told()).toBe(true)
    await admin.del('/api/applications/1/own')
    expect(told()).toBeUndefined()
  })
})
