import { describe, expect, test } from 'vitest'
import { admin, api, freshApi } from '#test/support/setups/fresh-api.ts'
import { hangAt } from '#test/support/setups/hang-at.ts'

const ASYNC = { prefer: 'respond-async' }
const AT = '/api/applications/1/shop'

/** What becomes of deployments whose panel ends before they do. */
describe('deployments and a panel that is killed', () => {
  freshApi('alice')

  const make = (change: object) =>
    admin.post('/api/applications', {
      ...{ account_id: 1, name: 'shop', runtime_kind: 'node', start_command: 'node server.js' },
      ...change,
    })
  const deploy = async (): Promise<string> => {
    const answer = await admin.send('POST', `${AT}/deploy`, undefined, ASYNC)
    return (answer.body.data as { job_id: string }).job_id
  }
  const restart = async () => {
    const app = api.restart()
    await app.settleOpenOperations()
  }
  const ended = async (id: string) => {
    await expect.poll(async () => (await api.store.jobById(id))?.finished_at).not.toBeNull()
    return api.store.jobById(id)
  }
  const deployments = () => api.store.listDeployments(1)

  test('one that was installing goes on where it was, and its job with it', async () => {
    await make({ install_command: 'write fetched 0', build_command: 'write made 0' })
    const hanging = hangAt('cron', 'wait')
    const id = await deploy()
    await hanging
    expect(await deployments()).toMatchObject([{ state: 'installing' }])
    await restart()
    expect(await ended(id)).toMatchObject({
      state: 'done',
      status: 200,
      result: {
        state: 'live',
        output: '$ write fetched 0\nfetched\n$ write made 0\nmade',
      },
    })
    // The host began each line once.
    expect(api.host.cron.started).toHaveLength(2)
    expect(await api.store.applicationById(1)).toMatchObject({
      desired: 'running',
      live_revision: 1,
    })
  })

  test('one that was being started is started', async () => {
    await make({})
    const hanging = hangAt('applications', 'deploy')
    const id = await deploy()
    await hanging
    await restart()
    expect(await ended(id)).toMatchObject({ state: 'done', result: { state: 'live' } })
    expect(await deployments()).toMatchObject([{ state: 'live', problem: null }])
  })

  test('one that fails afterwards has failed, and so has its job', async () => {
    await make({ install_command: 'write no-such-package 3' })
    const hanging = hangAt('cron', 'wait')
    const id = await deploy()
    await hanging
    await restart()
    expect(await ended(id)).toMatchObject({
      state: 'failed',
      status: 422,
      error: expect.stringMatching(/exit code 3[^]*no-such-package/),
    })
    expect(await deployments()).toMatchObject([{ state: 'failed' }])
  })

  test('one that waited for its turn has failed, and does not wait for ever', async () => {
    await make({ install_command: 'write fetched 0' })
    const hanging = hangAt('cron', 'wait')
    const first = await deploy()
    await hanging
    const second = await deploy()
    await expect
      .poll(async () => (await deployments()).map(({ state }) => state))
      .toEqual(['queued', 'installing'])
    await restart()
    expect(await ended(first)).toMatchObject({ state: 'done' })
    expect(await ended(second)).toMatchObject({ state: 'failed', status: 503 })
    expect(await deployments()).toMatchObject([
      { state: 'failed', problem: expect.stringContaining('restarted') },
      { state: 'live' },
    ])
  })

  test('a creation that was under way is undone on both sides', async () => {
    const hanging = hangAt('applications', 'put')
    void make({})
    await hanging
    await restart()
    expect((await api.store.listApplications()).rows).toEqual([])
    expect(api.host.applications.kept.size).toBe(0)
  })

  test('a removal that was under way is finished', async () => {
    await make({})
    await admin.send('PUT', `${AT}/domains/1`)
    const hanging = hangAt('applications', 'remove')
    void admin.del(AT)
    await hanging
    await restart()
    expect((await api.store.listApplications()).rows).toEqual([])
    expect(api.host.applications.kept.size).toBe(0)
    expect(api.host.webServer.hosts.get('alice.example')?.application).toBeUndefined()
  })

  test('what a deployment was told, and how it ended, hooks are told', async () => {
    await make({})
    await admin.post(`${AT}/deploy`)
    await admin.send('PATCH', AT, { build_command: 'write no 1' })
    await admin.post(`${AT}/deploy`)
    const endings = (await api.store.dueEvents(9e9, 100)).map(({ ending }) => ending)
    expect(endings).toEqual(
      expect.arrayContaining([
        'application.create:done',
        'application.deployed:done',
        'application.failed:done',
      ]),
    )
  })
})
