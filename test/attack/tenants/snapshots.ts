import { beforeAll, expect, test } from 'vitest'
import { Tenant } from '#test/support/tenant.ts'
import { panel } from '#test/support/setups/shared-instance.ts'

/** Of the plan free. */
const MOST_BACKUPS = 5
const ROOT = '/api/backups/snapshots/accounts'

let mallory: Tenant
let bella: Tenant
let token: string
let theirs: string

const call = (method: string, path: string, body?: unknown, who: string | null = token) =>
  panel.call(method, path, body, who)
const at = (id = mallory.id): string => `${ROOT}/${id}`
const many = <T>(count: number, work: () => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, work))
const listed = async (): Promise<{ id: string }[]> =>
  (await call('GET', at())).body.data as { id: string }[]

beforeAll(async () => {
  mallory = await Tenant.create(panel)
  bella = await Tenant.create(panel)
  const { username, password } = mallory
  token = (await panel.data<{ token: string }>('POST', '/api/auth/login', { username, password }))
    .token
  await mallory.put('public_html/mine.txt', 'mine')
  await bella.put('secret.txt', 'the-secret-of-bella')
  theirs = (await panel.data<{ id: string }>('POST', at(bella.id))).id
})

test('as many are made as the plan allows, also when asked for ten at once', async () => {
  const answers = await many(10, () => call('POST', at()))
  expect(answers.every(({ status }) => [200, 403, 409, 429].includes(status))).toBe(true)
  const made = answers.filter(({ status }) => status === 200).length
  expect(made).toBeGreaterThan(0)
  expect(made).toBeLessThanOrEqual(MOST_BACKUPS)
  expect(await listed()).toHaveLength(made)
})

test('restores, undoing and deletions at the same moment end well, and nothing else is left', async () => {
  const [first, second] = await listed()
  await mallory.put('public_html/mine.txt', 'changed')
  const restored = await Promise.all([
    ...Array.from({ length: 4 }, () =>
      call('POST', `${at()}/${first?.id}/restore`, { paths: ['public_html/mine.txt'] }),
    ),
    call('DELETE', `${at()}/${second?.id ?? first?.id}`),
    call('DELETE', `${at()}/${second?.id ?? first?.id}`),
  ])
  expect(restored.map(({ status }) => status).filter((status) => status >= 500)).toEqual([])
  expect((await mallory.run('cat', ['--', mallory.path('public_html/mine.txt')])).stdout).toBe(
    'mine',
  )
  const kept = (await call('GET', `/api/backups/accounts/${mallory.id}/restores`)).body.data as {
    id: string
  }[]
  expect(kept.length).toBe(1)
  const undone = await many(3, () =>
    call('POST', `/api/backups/accounts/${mallory.id}/restores/${kept[0]?.id}/undo`),
  )
  expect(undone.map(({ status }) => status).filter((status) => status >= 500)).toEqual([])
  expect(undone.filter(({ status }) => status === 200)).toHaveLength(1)
  const hidden = await mallory.run('ls', ['-A', '--', mallory.home])
  expect(hidden.stdout.split('\n').filter((name) => name.startsWith('.berth-')).length).toBe(1)
})

test("another tenant's are not there, in whatever way they are asked for", async () => {
  for (const [method, path, body] of [
    ['GET', at(bella.id), undefined],
    ['POST', at(bella.id), undefined],
    ['GET', `${at(bella.id)}/${theirs}/browse`, undefined],
    ['GET', `${at()}/${theirs}/browse`, undefined],
    ['GET', `${at()}/${theirs}/download?path=secret.txt`, undefined],
    ['POST', `${at()}/${theirs}/restore`, { paths: ['secret.txt'] }],
    ['DELETE', `${at()}/${theirs}`, undefined],
    ['GET', `${at()}/..%2f${bella.id}%2f${theirs}/browse`, undefined],
    ['GET', `${at()}/%2e%2e/browse`, undefined],
    ['POST', `/api/backups/accounts/${bella.id}/restores/x/undo`, undefined],
    ['POST', `/api/backups/accounts/${mallory.id}/restores/%2e%2e/undo`, undefined],
    ['GET', '/api/backups/remote-targets', undefined],
    ['POST', '/api/backups/imports', { account_id: bella.id, snapshot: theirs }],
    ['POST', '/api/backups/proofs', { account_id: bella.id }],
    ['PUT', `/api/backups/schedules/accounts/${mallory.id}`, { what: 'none' }],
  ] as const) {
    const answer = await call(method, path, body)
    expect([400, 403, 404, 405], `${method} ${path} ${answer.status}`).toContain(answer.status)
    expect(JSON.stringify(answer.body)).not.toContain('the-secret-of-bella')
  }
  const own = await listed()
  for (const path of [`../${bella.username}/secret.txt`, '/etc/shadow', '..', 'a/../../x', '%00']) {
    const query = new URLSearchParams({ path })
    for (const how of ['browse', 'download']) {
      const { status } = await call('GET', `${at()}/${own[0]?.id}/${how}?${query}`)
      expect([400, 404], `${how} ${path} ${status}`).toContain(status)
    }
  }
  expect((await panel.call('GET', `${at(bella.id)}/${theirs}/browse`)).status).toBe(200)
})
