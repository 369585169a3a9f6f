import { describe, expect, test } from 'vitest'
import { apiClient, createAccount, newAccount } from '#test/contract/frame/api-instance.ts'
import { admin, api, freshApi } from '#test/support/setups/fresh-api.ts'
import { hangAt } from '#test/support/setups/hang-at.ts'

const ASYNC = { prefer: 'respond-async' }

/** What becomes of jobs whose panel ends before they do. */
describe('jobs and a panel that is killed', () => {
  freshApi()

  /** Work that never comes back, as that of a process that is gone. */
  const never = () => new Promise<never>(() => undefined)
  const started = async (method: string, path: string, body?: unknown): Promise<string> => {
    const answer = await admin.send(method, path, body, ASYNC)
    return (answer.body.data as { job_id: string }).job_id
  }
  /** A second panel over the same store, which settles what the first has left. */
  const afterRestart = async (id: string) => {
    const app = api.restart()
    await app.settleOpenOperations()
    const client = apiClient({
      ...api,
      fetch: (path, init) =>
        app(new Request(`http://panel.example:7070${path}`, init), {
          clientAddress: '192.0.2.1',
          secure: false,
        }),
    })
    client.token = admin.token
    return (await client.get(`/api/jobs/${id}`)).body.data
  }

  test('a creation that was under way is undone, and its job has failed', async () => {
    const hanging = hangAt('users', 'create')
    const id = await started('POST', '/api/accounts', newAccount('carol'))
    await hanging
    expect(await afterRestart(id)).toMatchObject({
      state: 'failed',
      status: 503,
      error: expect.stringContaining('undone'),
      finished_at: expect.any(String),
    })
    expect(await api.store.accountByName('carol')).toBeNull()
  })

  test('a deletion that was under way is finished, and its job with it', async () => {
    const { id: account } = await createAccount(admin, 'carol')
    const hanging = hangAt('webServer', 'apply')
    const id = await started('DELETE', `/api/accounts/${account}`)
    await hanging
    expect(await afterRestart(id)).toMatchObject({
      state: 'done',
      status: 200,
      result: { id: account, deleted: true },
    })
    expect(await api.store.accountById(account)).toBeNull()
  })

  test('a job that had begun nothing has failed', async () => {
    const hanging = hangAt('webServer', 'regenerate')
    const id = await started('POST', '/api/veloserve/regenerate')
    await hanging
    expect(await afterRestart(id)).toMatchObject({ state: 'failed', status: 503 })
  })

  test('one whose operation was done already gets its answer', async () => {
    const id = await started('POST', '/api/accounts', newAccount('carol'))
    await api.background.settled()
    const done = await api.store.jobById(id)
    await api.store.insertJob(
      { ...done!, id: 'copy', state: 'running', result: null, finished_at: null, status: null },
      '2000-01-01 00:00:00',
    )
    const [operation] = await api.store.operationsOfJob(id)
    await api.store.openOperation({ ...operation!, id: 'again', data: { job_id: 'copy' } })
    await api.store.closeOperation('again', 'done')
    expect(await afterRestart('copy')).toMatchObject({ state: 'done', result: done?.result })
  })

  test('what cannot be settled yet stays open, and ends when it is', async () => {
    const hanging = hangAt('users', 'create')
    const id = await started('POST', '/api/accounts', newAccount('carol'))
    await hanging
    const users = api.host.ports.users as unknown as Record<string, unknown>
    const operation = users['operation']
    let failures = 2
    users['operation'] = (input: unknown) => {
      if (failures-- > 0) throw new Error('the host is away')
      return (operation as (input: unknown) => unknown)(input)
    }
    expect(await afterRestart(id)).toMatchObject({ state: 'running', finished_at: null })
    for (let round = 0; (await api.store.jobById(id))?.finished_at === null && round < 750; round++)
      await new Promise((resolve) => setTimeout(resolve, 20))
    expect(await api.store.jobById(id)).toMatchObject({ state: 'failed' })
  })

  test('a user has at most twenty open jobs', async () => {
    const target = api.host.ports.webServer as unknown as Record<string, unknown>
    target['regenerate'] = never
    for (let count = 0; count < 20; count++) await started('POST', '/api/veloserve/regenerate')
    const answer = await admin.send('POST', '/api/veloserve/regenerate', undefined, ASYNC)
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '10'])
  })

  test('a stream ends with its token, and a user has at most eight', async () => {
    const open = () =>
      api.fetch('/api/jobs/events', { headers: { authorization: `Bearer ${admin.token}` } })
    const streams = await Promise.all(Array.from({ length: 8 }, open))
    expect((await open()).status).toBe(429)
    const reader = streams[0]!.body!.getReader()
    const rest = (async () => {
      for (let next = await reader.read(); !next.done;) next = await reader.read()
    })()
    await Promise.all(streams.slice(1).map((response) => response.body?.cancel()))
    expect((await open()).status).toBe(200)
    await admin.post('/api/auth/logout')
    const other = apiClient(api)
    const login = await other.post('/api/auth/login', {
      username: 'boss',
      password: 'correct horse battery',
    })
    other.token = (login.body.data as { token: string }).token
    await other.send('POST', '/api/veloserve/regenerate', undefined, ASYNC)
    await rest
  })
})
