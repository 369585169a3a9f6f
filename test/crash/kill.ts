import { readdir } from 'node:fs/promises'
import { beforeAll, describe, expect, test } from 'vitest'
import { runCommand } from '#adapters/node/process/run-command.ts'
import { randomUsername } from '#test/support/panel-client.ts'
import { processesOf } from '#test/support/processes-of.ts'
import { Tenant } from '#test/support/tenant.ts'
import { instance, panel } from '#test/support/setups/shared-instance.ts'

let steady: Tenant

beforeAll(async () => {
  steady = await Tenant.create(panel)
  await steady.put(
    'public_html/alive.php',
    '<?php header("Cache-Control: no-store"); echo "alive";',
  )
})

/** The site, its PHP, the API and the host behind it all answer. */
const expectAllServing = async (): Promise<void> => {
  expect((await instance.site(steady.domain, '/')).status).toBe(200)
  expect((await instance.site(steady.domain, '/alive.php')).text).toBe('alive')
  const entries = await panel.data<{ name: string }[]>(
    'GET',
    `/api/files/list?account_id=${steady.id}&path=public_html`,
  )
  expect(entries.map((entry) => entry.name)).toContain('alive.php')
}

/** What the host has of an account: all of it, or nothing. */
const tracesOf = async (username: string, domain: string): Promise<Record<string, boolean>> => {
  const { vhosts_dir: vhosts, run_dir: run, home_base: homes } = instance.config.paths
  const rows = await panel.data<{ username: string }[]>('GET', '/api/accounts')
  const domains = await panel.data<{ domain_name: string }[]>('GET', '/api/domains')
  return {
    user: (await runCommand('getent', ['passwd', '--', username])).code === 0,
    home: (await readdir(homes)).includes(username),
    vhost: (await readdir(vhosts)).some((name) => name.includes(domain)),
    row: rows.some((row) => row.username === username),
    domain: domains.some((row) => row.domain_name === domain),
    site: (await instance.site(domain, '/')).status === 200,
    socket: (await readdir(run, { recursive: true })).some((name) => name.includes(username)),
  }
}

describe.each(['agent', 'panel', 'web', 'worker'] as const)('kill -9 of the %s', (name) => {
  test('while serving: it comes back, nothing orphaned', async () => {
    const before = await instance.pids()
    await instance.kill(name)
    await instance.untilReady()
    await expectAllServing()
    const after = await instance.pids()
    const old = [before.agent, before.panel, before.web, ...before.workers]
    const now = new Set([after.agent, after.panel, after.web, ...after.workers])
    for (const pid of old.filter((id) => !now.has(id))) {
      expect((await runCommand('ps', ['-o', 'stat=', '-p', String(pid)])).stdout.trim()).toMatch(
        /^Z?/,
      )
      expect(
        (await runCommand('ps', ['-o', 'stat=', '-p', String(pid)])).stdout.trim(),
      ).not.toMatch(/^[RSD]/)
    }
    expect(after.workers.length).toBe(before.workers.length)
  })
})

// Panel and agent die step by step in `real-steps`; the web server has no steps.
describe.each(['web'] as const)('kill -9 of the %s in the middle', (name) => {
  test.each([3, 60, 180])('of a creation, after %i ms', async (delayMs) => {
    const username = randomUsername()
    const domain = `${username}.example.com`
    const answer = panel
      .call('POST', '/api/accounts', {
        username,
        domain,
        email: 'x@example.com',
        password: 'long enough 1',
        plan: 'free',
      })
      .catch(() => null)
    await new Promise((resolve) => setTimeout(resolve, delayMs))
    await instance.kill(name)
    const acknowledged = (await answer)?.status === 200
    await instance.untilReady()
    const traces = await settled(username, domain)
    if (acknowledged)
      expect(traces).toMatchObject({ user: true, row: true, vhost: true, site: true })
    if (traces['row']) {
      const rows = await panel.data<{ id: number; username: string }[]>('GET', '/api/accounts')
      await panel.data(
        'DELETE',
        `/api/accounts/${rows.find((row) => row.username === username)!.id}`,
      )
    }
    expect(Object.values(await tracesOf(username, domain))).not.toContain(true)
    await expectAllServing()
  })

  test.each([3, 60, 180])('of a deletion, after %i ms', async (delayMs) => {
    const tenant = await Tenant.create(panel)
    await instance.site(tenant.domain, '/index.php')
    const answer = panel.call('DELETE', `/api/accounts/${tenant.id}`).catch(() => null)
    await new Promise((resolve) => setTimeout(resolve, delayMs))
    await instance.kill(name)
    const acknowledged = (await answer)?.status === 200
    await instance.untilReady()
    const traces = await settled(tenant.username, tenant.domain)
    if (acknowledged) expect(Object.values(traces)).not.toContain(true)
    if (traces['row']) await panel.data('DELETE', `/api/accounts/${tenant.id}`)
    expect(Object.values(await tracesOf(tenant.username, tenant.domain))).not.toContain(true)
    expect(await processesOf(tenant.uid)).toEqual([])
    await expectAllServing()
  })
})

describe('kill -9 of the supervisor', () => {
  test('ends its children, and the next start works with everything kept', async () => {
    const before = await instance.pids()
    await instance.kill('supervisor')
    await instance.startAgain()
    await expectAllServing()
    for (const pid of [before.agent, before.panel, before.web, ...before.workers]) {
      const state = (await runCommand('ps', ['-o', 'stat=', '-p', String(pid)])).stdout.trim()
      expect(state === '' || state.startsWith('Z'), `process ${pid}: ${state}`).toBe(true)
    }
    expect(await panel.data('GET', `/api/accounts/${steady.id}`)).toMatchObject({
      status: 'active',
    })
  })
})

/** Traces once the open operation was settled: all there or all gone. */
const settled = async (username: string, domain: string): Promise<Record<string, boolean>> => {
  const deadline = Date.now() + 30_000
  for (;;) {
    const traces = await tracesOf(username, domain)
    const { socket: _socket, ...lasting } = traces
    const values = Object.values(lasting)
    if (values.every(Boolean) || !Object.values(traces).some(Boolean)) return traces
    if (Date.now() > deadline) {
      throw new Error(`neither finished nor undone: ${JSON.stringify(traces)}`)
    }
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}
