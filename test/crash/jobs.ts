import { expect, test } from 'vitest'
import { runCommand } from '#adapters/node/process/run-command.ts'
import { randomUsername } from '#test/support/panel-client.ts'
import { Tenant } from '#test/support/tenant.ts'
import { instance, panel } from '#test/support/setups/shared-instance.ts'

interface Job {
  state: string
  status: number | null
  error: string | null
  result: { id?: number; username?: string; deleted?: boolean } | null
}

const startJob = async (method: string, path: string, body?: unknown): Promise<string> => {
  const { job_id } = await panel.data<{ job_id: string }>(method, path, body, {
    prefer: 'respond-async',
  })
  return job_id
}

/** The job once it is over, at most a minute after the restart. */
const ended = async (id: string): Promise<Job> => {
  for (let round = 0; round < 600; round++) {
    const job = await panel.data<Job>('GET', `/api/jobs/${id}`)
    if (job.state === 'done' || job.state === 'failed') return job
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error('the job did not end')
}

const osUser = async (username: string): Promise<boolean> =>
  (await runCommand('getent', ['passwd', '--', username])).code === 0

test.each([1, 20, 60, 120, 250])('a creation, panel killed after %i ms', async (delayMs) => {
  const username = randomUsername()
  const id = await startJob('POST', '/api/accounts', {
    username,
    domain: `${username}.example.com`,
    email: 'x@example.com',
    password: 'long enough 1',
    plan: 'free',
  })
  await new Promise((resolve) => setTimeout(resolve, delayMs))
  await instance.kill('panel')
  await instance.untilReady()
  const job = await ended(id)
  const done = job.state === 'done'
  expect(job.status).toBe(done ? 200 : 503)
  expect(await osUser(username)).toBe(done)
  const rows = await panel.data<{ id: number; username: string }[]>('GET', '/api/accounts')
  expect(rows.some((row) => row.username === username)).toBe(done)
  if (!done) return expect(job.error).toContain('restarted')
  expect(job.result).toMatchObject({ username })
  await panel.data('DELETE', `/api/accounts/${job.result?.id}`)
})

test.each([1, 20, 60, 120])('a deletion, panel killed after %i ms', async (delayMs) => {
  const tenant = await Tenant.create(panel)
  const id = await startJob('DELETE', `/api/accounts/${tenant.id}`)
  await new Promise((resolve) => setTimeout(resolve, delayMs))
  await instance.kill('panel')
  await instance.untilReady()
  const job = await ended(id)
  const done = job.state === 'done'
  expect(await osUser(tenant.username)).toBe(!done)
  if (done) expect(job.result).toEqual({ id: tenant.id, deleted: true })
  else await panel.data('DELETE', `/api/accounts/${tenant.id}`)
})
