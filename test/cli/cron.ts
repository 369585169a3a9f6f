import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { instance, panel } from '#test/support/setups/shared-instance.ts'
import { Tenant } from '#test/support/tenant.ts'
import { Berth } from './support/run-berth.ts'

let alice: Tenant
let berth: Berth

beforeAll(async () => {
  alice = await Tenant.create(panel)
  berth = new Berth('--config', instance.config.file)
})
afterAll(async () => {
  berth?.remove()
})

interface Run {
  id: string
  outcome: string
  output: string
  ended_at: string | null
}
const lastRun = async (job: string): Promise<Run> => {
  for (;;) {
    const [run] = await berth.json<Run[]>('cron runs', [alice.username, job])
    if (run !== undefined && run.ended_at !== null) return run
  }
}

describe('cron', () => {
  test('a job is made, runs as the account, and shows what it wrote', async () => {
    const made = await berth.json('cron create', [
      alice.username,
      'tidy',
      '--schedule',
      '0 3 29 2 *',
      '--shell',
      'id -un; pwd; php -r "echo PHP_SAPI;"',
      '--off',
    ])
    expect(made).toMatchObject({ name: 'tidy', kind: 'shell', enabled: false, next_at: null })
    await berth.ok('cron run', [alice.username, 'tidy'])
    const run = await lastRun('tidy')
    expect(run).toMatchObject({ outcome: 'ok' })
    const [user, home, sapi] = run.output.split('\n')
    expect([user, sapi]).toEqual([alice.username, 'cli'])
    expect(home).toMatch(new RegExp(`/${alice.username}$`))
    expect(await berth.ok('cron output', [alice.username, 'tidy'])).toBe(`${run.output}\n`)
    expect(await berth.ok('cron list', [alice.username])).toMatch(/tidy +0 3 29 2 \* .*ok/)
  })

  test('arguments reach the program as they are, and a failure is one', async () => {
    const args = [alice.username, 'args', '--schedule', '@yearly', '--program', 'sh']
    const script = ['-c', 'echo "$1"; exit 3', 'sh', "a 'b' $(id)"]
    await berth.ok('cron create', [...args, ...script.flatMap((one) => ['--argument', one])])
    await berth.ok('cron run', [alice.username, 'args'])
    expect(await lastRun('args')).toMatchObject({
      outcome: 'failed',
      code: 3,
      output: "a 'b' $(id)\n",
    })
    expect(await berth.json('cron list', ['--outcome', 'failed'])).toMatchObject([{ name: 'args' }])
  })

  test('an address of the account itself is asked at home, others inside are not', async () => {
    const url = `${instance.panelUrl}/api/docs`
    await berth.ok('cron create', [
      alice.username,
      'inside',
      '--schedule',
      '@daily',
      '--address',
      url,
    ])
    await berth.ok('cron run', [alice.username, 'inside'])
    expect(await lastRun('inside')).toMatchObject({ outcome: 'failed', code: null })
    const own = `http://${alice.domain}:${instance.webPort}/`
    await berth.ok('cron update', [alice.username, 'inside', '--address', own, '--name', 'own'])
    await berth.ok('cron run', [alice.username, 'own'])
    const run = await lastRun('own')
    expect(run).toMatchObject({ outcome: expect.stringMatching(/ok|failed/) })
    expect(run).toMatchObject({ code: expect.any(Number) })
  })

  test('a long run is ended, a job switched, changed and removed', async () => {
    const { username } = alice
    const args = [username, 'long', '--schedule', '@daily', '--shell', 'echo began; sleep 300']
    const limits = ['--time-limit', '600', '--overlap', 'queue', '--notify-after', '1']
    await berth.ok('cron create', [...args, ...limits, '--time-zone', 'Europe/Berlin'])
    const { id } = await berth.json<Run>('cron run', [username, 'long'])
    await berth.ok('cron stop', [username, 'long', id])
    expect(await lastRun('long')).toMatchObject({ id, outcome: 'killed' })
    await berth.ok('cron disable', [username, 'long'])
    expect(await berth.json('cron show', [username, 'long'])).toMatchObject({
      enabled: false,
      overlap: 'queue',
      time_zone: 'Europe/Berlin',
    })
    await berth.ok('cron enable', [username, 'long'])
    expect((await berth.run('cron update', [username, 'long'])).code).toBe(2)
    expect((await berth.run('cron show', [username, 'other'])).code).toBe(1)
    expect(await berth.ok('cron preview', ['0 4 * * sun'])).toMatch(/^(.* 04:00:00 UTC\n){5}$/)
    await berth.ok('cron delete', [username, 'long', '--yes'])
    expect((await berth.run('cron show', [username, 'long'])).code).toBe(1)
    const enabled = ['--enabled', 'false', '--sort', 'name']
    expect(await berth.json('cron list', [username, ...enabled])).toMatchObject([{ name: 'tidy' }])
  })
})
