import { readFileSync } from 'node:fs'
import { beforeAll, expect, test } from 'vitest'
import { findProcesses } from '#adapters/node/agent/host/process-facts.ts'
import { eventually } from '#test/node/web-server/support/web-process.ts'
import { Tenant } from '#test/support/tenant.ts'
import { instance, panel, shareInstance } from '#test/support/setups/shared-instance.ts'

/** One account takes what it can get, with the groups of this machine; another one is served meanwhile. */
const PLAN = {
  ...{ disk_quota_mb: 500, bandwidth_quota_mb: 10_000, domains_limit: 5, databases_limit: 5 },
  ...{ tokens_limit: 5, backups_limit: 5, processes_limit: 40, memory_limit_mb: 512 },
  ...{ memory_total_mb: 256, cpu_percent: 30, cpu_weight: 10 },
}
/** A page of another one takes a few milliseconds; slower than this it would be felt. */
const FELT_MS = 2000

let mallory: Tenant
let bella: Tenant
shareInstance({ settings: { server: 'workers = 1', databases: 'mariadb = "off"' } })
beforeAll(async () => {
  await panel.data('POST', '/api/plans', { name: 'small', ...PLAN })
  mallory = await Tenant.create(panel, 'small')
  bella = await Tenant.create(panel)
  for (const tenant of [mallory, bella])
    await tenant.put('public_html/ok.php', '<?php header("Cache-Control: no-store"); echo "fine";')
  for (const { domain } of [mallory, bella])
    expect((await instance.site(domain, '/ok.php')).text).toBe('fine')
})

const processesOf = ({ uid }: Tenant) => findProcesses((one) => one.uid === uid)
const groupsOf = (tenant: Tenant): string[] =>
  processesOf(tenant).map(({ pid }) => {
    try {
      return readFileSync(`/proc/${pid}/cgroup`, 'utf8')
    } catch {
      return '' // ended while we looked
    }
  })
/** Has mallory's PHP do this, which the answer is not waited for. */
const attack = async (code: string): Promise<Promise<unknown>> => {
  await mallory.put(
    'public_html/attack.php',
    `<?php header('Cache-Control: no-store'); ignore_user_abort(true); set_time_limit(0); ${code}`,
  )
  return instance.site(mallory.domain, '/attack.php', { timeoutMs: 60_000 }).catch(() => null)
}
const bellaIsServed = async (): Promise<void> => {
  for (let n = 0; n < 5; n++) {
    const beganMs = performance.now()
    expect((await instance.site(bella.domain, '/ok.php')).text).toBe('fine')
    expect(performance.now() - beganMs).toBeLessThan(FELT_MS)
  }
}
const endAll = async (): Promise<void> => {
  await panel.data('POST', `/api/accounts/${mallory.id}/suspend`)
  expect(processesOf(mallory)).toEqual([])
  await panel.data('POST', `/api/accounts/${mallory.id}/unsuspend`)
}

test('the host says how accounts are held, and doctor has nothing to add', async () => {
  const { account_limits: held } = await panel.data<{
    account_limits: { kind: string | null; holds: string[]; reason: string | null }
  }>('GET', '/api/system/info')
  expect(held.reason).toBeNull()
  expect(held.holds).toEqual(expect.arrayContaining(['cpu', 'memory', 'tasks']))
})

test('all that runs as an account is in its group: PHP, what it starts, cron, helpers, log-ins', async () => {
  void attack(`shell_exec('setsid sleep 20 >/dev/null 2>&1 & sleep 2');`)
  const job = await panel.data<{ id: number }>('POST', '/api/cron', {
    ...{ account_id: mallory.id, name: 'job', schedule: '0 0 1 1 *' },
    ...{ kind: 'shell', command: 'sleep 20; true' },
  })
  await panel.call('POST', `/api/cron/${mallory.id}/${job.id}/run`)
  await panel.data('GET', `/api/files/list?account_id=${mallory.id}&path=/`)
  // As sshd begins a session: nobody put it anywhere.
  const session = mallory.run('/usr/bin/sleep', ['8']).catch(() => null)
  await eventually('all of it runs', () => processesOf(mallory).length >= 8)
  await eventually('all of it is held', () =>
    groupsOf(mallory).every((lines) => lines === '' || lines.includes(`/${mallory.uid}/`)),
  )
  expect(groupsOf(mallory).some((lines) => lines.includes(`/${mallory.uid}/helpers`))).toBe(true)
  await endAll()
  await session
})

test('a loop on the processor, in many processes, is not felt next door', async () => {
  const ended = attack(`shell_exec('for i in 1 2 3 4 5 6; do (while :; do :; done) & done; wait');`)
  await eventually('it spins', () => processesOf(mallory).length > 6)
  await bellaIsServed()
  await endAll()
  await ended
})

test('a program that takes memory without end is ended, alone', async () => {
  const [before] = processesOf(bella)
  await attack(`shell_exec('head -c 900m /dev/zero | tail >/dev/null 2>&1'); echo 'went on';`).then(
    (answer) => expect(JSON.stringify(answer)).toContain('went on'),
  )
  // Told to the owner: when, and how often.
  const memoryEnds = async () =>
    (
      await panel.data<{ memory_ends: { count: number }[]; points: { tasks: number | null }[] }>(
        'GET',
        `/api/accounts/${mallory.id}/use`,
      )
    ).memory_ends
  await expect.poll(memoryEnds, { timeout: 15_000 }).toHaveLength(1)
  await bellaIsServed()
  expect(processesOf(bella).map(({ pid }) => pid)).toContain(before?.pid)
  expect((await instance.site(mallory.domain, '/ok.php')).text).toBe('fine')
})

test('forks without end stop at the processes of the plan; the panel still works in the home', async () => {
  const loop =
    'n=0; while [ $n -lt 200 ]; do setsid sleep 60 <&- >/dev/null 2>&1 & n=$((n+1)); done'
  const ended = attack(`shell_exec('${loop}'); sleep(60);`)
  await eventually('it forks', () => processesOf(mallory).length > 25)
  await bellaIsServed()
  expect(processesOf(mallory).length).toBeLessThanOrEqual(PLAN.processes_limit + 5)
  await panel.data('GET', `/api/files/list?account_id=${mallory.id}&path=/`)
  await endAll()
  await ended
})
