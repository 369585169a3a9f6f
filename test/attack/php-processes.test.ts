import { readFileSync } from 'node:fs'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { findProcesses } from '#adapters/node/agent/host/process-facts.ts'
import { countTasks } from '#adapters/node/agent/host/await-task-room.ts'
import { MODES } from '#test/node/php-modes/modes.ts'
import type { ModeCase } from '#test/node/php-modes/modes.ts'
import { switchMode } from '#test/node/php-modes/start-mode-site.ts'
import { H2Client } from '#test/node/web-server/support/h2-client.ts'
import { eventually } from '#test/node/web-server/support/web-process.ts'
import { Tenant } from '#test/support/tenant.ts'
import { instance, panel, shareInstance } from '#test/support/setups/shared-instance.ts'

/** Of the plan business: the dead of one test still count in the next, until process 1 collects them. */
const PLAN_PROCESSES = 200

let mallory: Tenant
let bella: Tenant
shareInstance({
  settings: {
    ...Object.assign({}, ...MODES.map(({ settings }) => settings)),
    server: 'workers = 1',
    databases: 'mariadb = "off"',
  },
})
beforeAll(async () => {
  mallory = await Tenant.create(panel, 'business')
  bella = await Tenant.create(panel)
  await bella.put('public_html/wait.php', '<?php usleep(3000000); echo "waited";')
  await bella.put('public_html/ok.php', '<?php header("Cache-Control: no-store"); echo "fine";')
  await mallory.put('public_html/ok.php', '<?php header("Cache-Control: no-store"); echo "mine";')
})

/** The kernel counts the dead until process 1 has collected them, here every two seconds. */
const noneLeft = (): Promise<void> =>
  eventually('the dead are collected', () => countTasks(mallory.uid) === 0)
const switchTo = ({ mode }: ModeCase): Promise<void> => switchMode(panel, mallory, mode)
const php = async (code: string, timeoutMs = 20_000): Promise<string> => {
  await mallory.put('public_html/probe.php', `<?php header('Cache-Control: no-store');\n${code}`)
  return (await instance.site(mallory.domain, '/probe.php', { timeoutMs })).text
}
const processesOf = (uid: number) => findProcesses((one) => one.uid === uid)

describe('what a script sees of other processes', () => {
  test('is neither their environment nor their descriptors, and no secret stands in arguments', async () => {
    const waiting = instance.site(bella.domain, '/wait.php')
    await eventually('its PHP runs', () => processesOf(bella.uid).length > 0)
    const targets = [
      ...processesOf(bella.uid).map(({ pid }) => pid),
      ...Object.values(await instance.pids()).flat(),
    ]
    const text = await php(
      `foreach ([${targets.join(',')}] as $pid) foreach (['environ', 'mem', 'maps', 'fd', 'cwd', 'root'] as $name) {
        $path = "/proc/$pid/$name";
        $seen = $name === 'fd' ? @scandir($path) : (in_array($name, ['cwd', 'root']) ? @readlink($path) : @file_get_contents($path, false, null, 0, 100));
        if ($seen !== false && $seen !== '') echo "$path opens\\n";
      } echo 'done';`,
    )
    expect(text).toBe('done')
    expect((await waiting).text).toBe('waited')
    // The kernel shows arguments to everybody.
    const secrets = [
      readFileSync(`${instance.config.paths.run_dir}/management.token`, 'utf8').trim(),
      mallory.password,
      bella.password,
    ]
    for (const { commandLine } of findProcesses(() => true))
      for (const secret of secrets) expect(commandLine).not.toContain(secret)
  })

  test('its own environment and descriptors hold nothing of ours', async () => {
    const program = `import os
for fd in os.listdir('/proc/self/fd'):
  try: print('fd', fd, os.readlink('/proc/self/fd/' + fd))
  except OSError: pass
print('env', sorted(os.environ))`
    const text = await php(
      `foreach (scandir('/proc/self/fd') as $fd) echo "fd ", @readlink("/proc/self/fd/$fd"), "\\n";
       echo 'env ', implode(' ', array_keys(getenv())), "\\n";
       echo @shell_exec(${JSON.stringify(`python3 -c '${program.replaceAll("'", '"')}'`).replaceAll('$', '\\$')}) ?? '';`,
    )
    expect(text).toMatch(/^env /m)
    expect(text).not.toMatch(/BERTH|SECRET|TOKEN|PASSW|agent\.|management|\.sqlite|web\.sock/i)
  })
})

describe.each(MODES)("an account's PHP in mode $mode", (mode) => {
  beforeEach(({ skip }) => {
    if (mode.missing !== undefined) skip(mode.missing)
  })

  test('is not given the session of the panel, over HTTP/1 and HTTP/2', async () => {
    await switchTo(mode)
    const shown = `echo json_encode([$_COOKIE, $_SERVER['HTTP_COOKIE'] ?? null, getenv('HTTP_COOKIE')]);`
    await mallory.put(
      'public_html/cookies.php',
      `<?php header('Cache-Control: no-store'); ${shown}`,
    )
    const headers = { cookie: 'a=1; panel_token=secret' }
    const { text } = await instance.site(mallory.domain, '/cookies.php', { headers })
    expect(text).toContain('"a":"1"')
    expect(text).not.toContain('secret')
    const client = await H2Client.open(instance.webSslPort, mallory.domain)
    const { body } = await client.get('/cookies.php', headers)
    client.close()
    expect(body).toContain('"a":"1"')
    expect(body).not.toContain('secret')
  })

  test('that the account kills is back with the next request, and nobody else notices', async () => {
    await switchTo(mode)
    expect((await instance.site(mallory.domain, '/ok.php')).text).toBe('mine')
    for (let round = 0; round < 3; round++) {
      // As root it would end the machine.
      const code = 'test "$(id -u)" = "$1" && kill -9 -1'
      await mallory.run('/bin/sh', ['-c', code, 'sh', String(mallory.uid)])
      expect((await instance.site(bella.domain, '/ok.php')).text).toBe('fine')
      expect((await instance.site(mallory.domain, '/ok.php')).text).toBe('mine')
    }
  })

  test('that forks without end is stopped by its limit; neighbours are served, suspension ends it', async () => {
    await switchTo(mode)
    // Each child leaves group and session; bounded here too, in case no limit held.
    const loop =
      'n=0; while [ $n -lt 400 ]; do setsid sleep 300 <&- >/dev/null 2>&1 & n=$((n+1)); done'
    await mallory.put(
      'public_html/bomb.php',
      `<?php ignore_user_abort(true); shell_exec('${loop}'); sleep(120);`,
    )
    const bomb = instance.site(mallory.domain, '/bomb.php', { timeoutMs: 60_000 }).catch(() => null)
    await eventually('it forks', () => processesOf(mallory.uid).length > 50)
    for (let n = 0; n < 5; n++)
      expect((await instance.site(bella.domain, '/ok.php')).text).toBe('fine')
    expect(processesOf(mallory.uid).length).toBeLessThanOrEqual(PLAN_PROCESSES)
    await panel.data('POST', `/api/accounts/${mallory.id}/suspend`)
    expect(processesOf(mallory.uid)).toEqual([])
    await bomb
    expect((await instance.site(mallory.domain, '/ok.php')).status).toBe(503)
    await panel.data('POST', `/api/accounts/${mallory.id}/unsuspend`)
    // Its dead may still be counted: PHP waits for them.
    expect((await instance.site(mallory.domain, '/ok.php')).text).toBe('mine')
  })
})

describe('a suspended site', () => {
  test('is closed on an open HTTP/2 connection too, and opens again', async () => {
    const client = await H2Client.open(instance.webSslPort, mallory.domain)
    expect((await client.get('/ok.php')).body).toBe('mine')
    await panel.data('POST', `/api/accounts/${mallory.id}/suspend`)
    for (const path of ['/', '/ok.php', '/.well-known/acme-challenge/x', '/nothing'])
      expect((await client.get(path)).status).toBe(503)
    await panel.data('POST', `/api/accounts/${mallory.id}/unsuspend`)
    expect((await client.get('/ok.php')).body).toBe('mine')
    client.close()
  })
})

test('a deletion ends what scripts left in the background', async () => {
  await switchMode(panel, mallory, 'fpm')
  await panel.data('POST', `/api/accounts/${mallory.id}/suspend`)
  await noneLeft()
  await panel.data('POST', `/api/accounts/${mallory.id}/unsuspend`)
  await mallory.put(
    'public_html/stay.php',
    `<?php shell_exec('for n in 1 2 3 4 5; do setsid --fork sleep 300 <&- >/dev/null 2>&1; done'); echo 'left';`,
  )
  expect((await instance.site(mallory.domain, '/stay.php')).text).toBe('left')
  await eventually('they run', () =>
    processesOf(mallory.uid).some(({ commandLine }) => commandLine.includes('sleep')),
  )
  await panel.data('DELETE', `/api/accounts/${mallory.id}`)
  expect(processesOf(mallory.uid)).toEqual([])
})
