import { beforeAll, expect, test } from 'vitest'
import type { Answer, ApiClient, MakeApiInstance } from '../frame/api-instance.ts'
import { aliceAndBobby, apiClient, createAccount, newAccount } from '../frame/api-instance.ts'
import { apiGroup } from '../frame/api-suite.ts'
import { readEvents } from '../frame/event-reader.ts'

const ASYNC = { prefer: 'respond-async' }
const JOB = {
  id: expect.stringMatching(/^[0-9a-f-]{36}$/),
  account_id: null,
  step: expect.any(String),
  detail: null,
  created_at: expect.any(String),
  started_at: expect.any(String),
  finished_at: expect.any(String),
}

const jobIdOf = (answer: Answer): string => {
  expect(answer.status).toBe(200)
  expect(answer.headers.get('preference-applied')).toBe('respond-async')
  expect(answer.body).toEqual({ ok: true, data: { job_id: expect.any(String) } })
  return (answer.body.data as { job_id: string }).job_id
}

/** Long work that is followed. */
export const jobsContract = (makeInstance: MakeApiInstance): void => {
  apiGroup('jobs', makeInstance, (shared) => {
    let alice: ApiClient
    let bobby: ApiClient
    beforeAll(async () => {
      ;[alice, bobby] = await aliceAndBobby(shared)
    })

    const events = async (client: ApiClient, path: string, headers: Record<string, string> = {}) =>
      shared.instance.fetch(path, {
        headers: { authorization: `Bearer ${client.token}`, ...headers },
      })
    /** The job when it is over, as its stream tells it last. */
    const finished = async (id: string) => {
      const all = await readEvents(await events(shared.admin, `/api/jobs/${id}/events`)).all()
      return all.at(-1)?.data
    }

    test('a creation becomes a job with the answer as its result', async () => {
      const id = jobIdOf(
        await shared.admin.send('POST', '/api/accounts', newAccount('carol'), ASYNC),
      )
      const job = await finished(id)
      expect(job).toEqual({
        ...JOB,
        kind: 'account.create',
        subject: 'carol',
        state: 'done',
        progress: 100,
        result: expect.objectContaining({ username: 'carol', status: 'active' }),
        error: null,
        status: 200,
      })
      expect((await shared.admin.get(`/api/jobs/${id}`)).body.data).toEqual(job)
      const account = job?.['result'] as { id: number }
      expect((await shared.admin.get(`/api/accounts/${account.id}`)).body.data).toMatchObject({
        username: 'carol',
      })
      const removal = jobIdOf(
        await shared.admin.send('DELETE', `/api/accounts/${account.id}`, undefined, ASYNC),
      )
      expect(await finished(removal)).toMatchObject({
        kind: 'account.delete',
        subject: 'carol',
        account_id: account.id,
        state: 'done',
        result: { id: account.id, deleted: true },
      })
      expect((await shared.admin.get(`/api/accounts/${account.id}`)).status).toBe(404)
    })

    test('the preference may stand among others, in any case, and nothing else is one', async () => {
      for (const prefer of ['wait=5, RESPOND-ASYNC; x=1', 'respond-async'])
        jobIdOf(await shared.admin.send('POST', '/api/veloserve/regenerate', undefined, { prefer }))
      for (const prefer of ['respond-asynchronously', 'x="respond-async"', 'return=minimal']) {
        const plain = await shared.admin.send('POST', '/api/veloserve/regenerate', undefined, {
          prefer,
        })
        expect(plain.headers.get('preference-applied')).toBeNull()
        expect(plain.body.data).toHaveProperty('written')
      }
      const other = await shared.admin.send('POST', '/api/veloserve/reload', undefined, ASYNC)
      expect(other.body.data).toEqual({ reloaded: true, restart_needed: [] })
    })

    test('what is wrong with the request is answered at once', async () => {
      const { length } = (await shared.admin.get('/api/jobs')).body.data as unknown[]
      const bad = { ...newAccount('dave'), plan: 'gold' }
      const answers = [
        await shared.admin.send('POST', '/api/accounts', bad, ASYNC),
        await apiClient(shared.instance).send('POST', '/api/accounts', newAccount('dave'), ASYNC),
        await alice.send('POST', '/api/accounts', newAccount('dave'), ASYNC),
        await shared.admin.send('DELETE', '/api/accounts/9999', undefined, ASYNC),
      ]
      expect(answers.map(({ status }) => status)).toEqual([400, 401, 403, 404])
      expect((await shared.admin.get('/api/jobs')).body.data).toHaveLength(length)
    })

    test("what fails later is the job's failure, with status and text", async () => {
      const id = jobIdOf(
        await shared.admin.send('POST', '/api/accounts', newAccount('alice'), ASYNC),
      )
      expect(await finished(id)).toMatchObject({
        state: 'failed',
        status: 409,
        error: 'username alice is taken.',
        result: null,
      })
    })

    test('lists, finds, pages and shows an account its own alone', async () => {
      const gone = await createAccount(shared.admin, 'gone')
      const id = jobIdOf(
        await shared.admin.send('DELETE', `/api/accounts/${gone.id}`, undefined, ASYNC),
      )
      await finished(id)
      const all = (await shared.admin.get('/api/jobs')).body.data as { subject: string }[]
      expect(all.length).toBeGreaterThan(3)
      const page = await shared.admin.get('/api/jobs?per_page=1&sort=created_at&order=desc&q=gone')
      expect(page.body.data).toMatchObject([{ subject: 'gone' }])
      expect(page.headers.get('x-total-count')).toBe('1')
      expect((await alice.get('/api/jobs')).body.data).toEqual([])
      for (const path of [`/api/jobs/${id}`, `/api/jobs/${id}/events`]) {
        expect((await alice.get(path)).status).toBe(404)
        expect((await bobby.get(path)).status).toBe(404)
        expect((await apiClient(shared.instance).get(path)).status).toBe(401)
      }
      expect((await shared.admin.get('/api/jobs?sort=result')).status).toBe(400)
      expect((await shared.admin.get('/api/jobs/none')).status).toBe(404)
      expect((await shared.admin.get('/api/jobs/none/events')).status).toBe(404)
    })

    test('a stream goes on after the last event, and is told each change', async () => {
      const path = '/api/jobs/events'
      const response = await events(shared.admin, path)
      expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
      const reader = readEvents(response)
      const id = jobIdOf(
        await shared.admin.send('POST', '/api/veloserve/regenerate', undefined, ASYNC),
      )
      const ids: number[] = []
      for (let state: unknown = ''; state !== 'done';) {
        const event = await reader.next()
        expect(event?.event).toBe('job')
        expect(event?.data['id']).toBe(id)
        ids.push(event?.id ?? 0)
        state = event?.data['state']
      }
      await reader.cancel()
      expect(ids).toEqual([...ids].sort((a, b) => a - b))
      expect(new Set(ids).size).toBe(ids.length)
      const before = String((ids[0] ?? 1) - 1)
      const again = readEvents(await events(shared.admin, path, { 'last-event-id': before }))
      expect(await again.next()).toMatchObject({ id: ids.at(-1), data: { id, state: 'done' } })
      await again.cancel()
      const other = await events(shared.admin, `/api/jobs/${id}/events`, {
        'last-event-id': String(ids.at(-1)),
      })
      expect((await readEvents(other).all()).at(-1)).toMatchObject({ data: { state: 'done' } })
    })

    test('a foreign page gets no stream for the cookie', async () => {
      const ask = (headers: Record<string, string>) =>
        shared.instance.fetch('/api/jobs/events', {
          headers: { cookie: `panel_token=${shared.admin.token}`, ...headers },
        })
      for (const headers of [
        { origin: 'https://evil.example' },
        { origin: 'null' },
        { 'sec-fetch-site': 'cross-site' },
        { 'sec-fetch-site': 'same-site', origin: 'http://panel.example:7070' },
      ])
        expect((await ask(headers)).status).toBe(403)
      for (const headers of [
        { 'sec-fetch-site': 'same-origin' },
        { origin: 'http://panel.example:7070' },
        {},
      ] as Record<string, string>[]) {
        const response = await ask(headers)
        expect(response.status).toBe(200)
        await response.body?.cancel()
      }
    })
  })
}
