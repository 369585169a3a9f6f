import { beforeAll, describe, expect, test } from 'vitest'
import { Tenant } from '#test/support/tenant.ts'
import { instance, panel } from '#test/support/setups/shared-instance.ts'

interface Run {
  id: string
  outcome: string
  output: string
  ended_at: string | null
}

/** Of the plan free. */
const MOST_JOBS = 5

let mallory: Tenant
let bella: Tenant
let token: string

const logIn = async ({ username, password }: Tenant): Promise<string> =>
  (await panel.data<{ token: string }>('POST', '/api/auth/login', { username, password })).token
const call = (method: string, path: string, body?: unknown, who: string | null = token) =>
  panel.call(method, path, body, who)
const line = (command: string, change: object = {}) => ({
  ...{ account_id: mallory.id, name: 'job', schedule: '0 0 1 1 *', kind: 'shell', command },
  ...change,
})
const make = async (command: string, change: object = {}): Promise<number> => {
  const { status, body } = await call('POST', '/api/cron', line(command, change))
  expect([status, body.error]).toEqual([200, undefined])
  return (body.data as { id: number }).id
}
const runsOf = async (id: number): Promise<Run[]> =>
  (await call('GET', `/api/cron/${mallory.id}/${id}/runs`)).body.data as Run[]
const ended = async (id: number, run: string): Promise<Run> => {
  for (;;) {
    const found = (await runsOf(id)).find((one) => one.id === run)
    if (found !== undefined && found.ended_at !== null) return found
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
const ran = async (command: string, change: object = {}): Promise<string> => {
  const id = await make(command, change)
  const { body } = await call('POST', `/api/cron/${mallory.id}/${id}/run`)
  const { output } = await ended(id, (body.data as { id: string }).id)
  await call('DELETE', `/api/cron/${mallory.id}/${id}`)
  return output
}

beforeAll(async () => {
  mallory = await Tenant.create(panel)
  bella = await Tenant.create(panel)
  token = await logIn(mallory)
  await bella.put('secret.txt', 'the-secret-of-bella')
})

describe('cron jobs of a tenant', () => {
  test('are as many as the plan allows, also when asked for twenty at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => call('POST', '/api/cron', line('true'))),
    )
    const made = answers.filter(({ status }) => status === 200)
    expect(made).toHaveLength(MOST_JOBS)
    expect(answers.filter(({ status }) => status === 403)).toHaveLength(20 - MOST_JOBS)
    const paths = made.map(
      ({ body }) => `/api/cron/${mallory.id}/${(body.data as { id: number }).id}`,
    )
    // Each is deleted once, whoever is first.
    const gone = await Promise.all(
      paths.flatMap((path) => [1, 2, 3].map(() => call('DELETE', path))),
    )
    expect(gone.every(({ status }) => [200, 404].includes(status))).toBe(true)
    expect((await call('GET', `/api/cron/${mallory.id}`)).body.data).toEqual([])
  })

  test('are no way to the jobs and accounts of others', async () => {
    const own = await make('true')
    const theirs = (
      await call('POST', '/api/cron', line('true', { account_id: bella.id }), panel.token)
    ).body.data as { id: number }
    for (const [method, path, body] of [
      ['POST', '/api/cron', line('id', { account_id: bella.id })],
      ['GET', `/api/cron/${bella.id}`, undefined],
      ['GET', '/api/cron', undefined],
      ['GET', `/api/cron/${mallory.id}/${theirs.id}`, undefined],
      ['GET', `/api/cron/${mallory.id}/${theirs.id}/runs`, undefined],
      ['PATCH', `/api/cron/${mallory.id}/${theirs.id}`, { command: 'id' }],
      ['PATCH', `/api/cron/${bella.id}/${theirs.id}`, { command: 'id' }],
      ['POST', `/api/cron/${mallory.id}/${theirs.id}/run`, undefined],
      ['POST', `/api/cron/${mallory.id}/${theirs.id}/runs/../stop`, undefined],
      ['POST', `/api/cron/${mallory.id}/${own}/runs/%2e%2e/stop`, undefined],
      ['DELETE', `/api/cron/${mallory.id}/${theirs.id}`, undefined],
    ] as const) {
      const { status } = await call(method, path, body)
      expect([403, 404, 405], `${method} ${path} ${status}`).toContain(status)
    }
    // Whose it is is no field that changes.
    await call('PATCH', `/api/cron/${mallory.id}/${own}`, { account_id: bella.id, name: 'moved' })
    expect((await call('GET', `/api/cron/${bella.id}`, undefined, panel.token)).body.data).toEqual([
      expect.objectContaining({ id: theirs.id, command: 'true' }),
    ])
    await call('DELETE', `/api/cron/${mallory.id}/${own}`)
    await call('DELETE', `/api/cron/${bella.id}/${theirs.id}`, undefined, panel.token)
  })

  test('run as nobody else, and reach nothing that the account does not', async () => {
    const { run_dir: run, state_dir: state, secrets_dir: secrets } = instance.config.paths
    const output = await ran(
      `id -u; id -Gn; for f in ${bella.path('secret.txt')} ${run}/management.token ${state}/agent ${secrets}; do cat $f 2>&1; ls $f 2>&1; done; cat /proc/1/environ 2>&1 | tr '\\0' '\\n'; unshare -r true 2>&1; echo end`,
    )
    const [uid, group] = output.split('\n')
    expect([Number(uid), group]).toEqual([mallory.uid, mallory.username])
    expect(output).not.toContain('the-secret-of-bella')
    expect(output).not.toMatch(/BERTH_|NODE_|RESTIC_|AWS_/)
    expect(output.trim().endsWith('end')).toBe(true)
  })

  test('leave nothing running, whatever they did to stay', async () => {
    const stay = `setsid --fork sleep 300; (trap '' TERM HUP; nohup setsid sleep 300 >/dev/null 2>&1 &); echo stayed`
    expect(await ran(stay)).toContain('stayed')
    const left = await mallory.run('/usr/bin/pgrep', ['-u', String(mallory.uid), '-x', 'sleep'])
    expect(left.stdout).toBe('')
  })

  test('run by hand a hundred times at once are one, and one that waits', async () => {
    const id = await make('sleep 2', { overlap: 'queue' })
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => call('POST', `/api/cron/${mallory.id}/${id}/run`)),
    )
    expect(answers.every(({ status }) => status === 200)).toBe(true)
    const runs = await runsOf(id)
    expect(runs.filter(({ ended_at }) => ended_at === null)).toHaveLength(2)
    expect(runs.length).toBeLessThanOrEqual(2 + 20 + 5)
    // Others are not kept waiting by that.
    const theirs = await call(
      'POST',
      '/api/cron',
      line('echo quick', { account_id: bella.id }),
      panel.token,
    )
    const path = `/api/cron/${bella.id}/${(theirs.body.data as { id: number }).id}`
    expect((await call('POST', `${path}/run`, undefined, panel.token)).status).toBe(200)
    await call('DELETE', path, undefined, panel.token)
    await call('DELETE', `/api/cron/${mallory.id}/${id}`)
  })

  test('ask no address of this machine', async () => {
    const { port } = new URL(instance.panelUrl)
    for (const address of [
      `http://127.0.0.1:${port}/api/health`,
      `http://[::ffff:127.0.0.1]:${port}/`,
      `http://localhost:${port}/`,
      `http://${mallory.domain}:${port}/`,
      'http://169.254.169.254/latest/meta-data/',
      instance.managementUrl,
    ]) {
      const output = await ran(address, { kind: 'url' })
      expect(output, address).toMatch(/may not ask|ENOTFOUND|EAI_AGAIN|private network/)
    }
  })
})
