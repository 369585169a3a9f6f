import { expect, test } from 'vitest'
import { Tenant } from '#test/support/tenant.ts'
import { instance, panel } from '#test/support/setups/shared-instance.ts'

test('20 accounts come and go while a slow PHP request and a load run: no failed request', async () => {
  const slow = await Tenant.create(panel)
  const busy = await Tenant.create(panel)
  await slow.put('public_html/slow.php', '<?php sleep(5); echo "slow but done";')
  await busy.put('public_html/count.php', '<?php header("Cache-Control: no-store"); echo "fresh";')
  await busy.put('public_html/page.html', '<p>static</p>')

  const churn = { running: true }
  const failures: string[] = []
  let answers = 0
  const visit = async (path: string, wanted: string): Promise<void> => {
    while (churn.running && answers < 20_000) {
      const answer = await instance
        .site(busy.domain, path)
        .catch((error: unknown) => ({ status: 0, text: String(error) }))
      answers++
      if (answer.status !== 200 || !answer.text.includes(wanted)) {
        failures.push(`${path}: ${answer.status} ${answer.text.slice(0, 200)}`)
      }
    }
  }
  const slowly = async (): Promise<void> => {
    while (churn.running) {
      const answer = await instance
        .site(slow.domain, '/slow.php')
        .catch((error: unknown) => ({ status: 0, text: String(error) }))
      if (answer.status !== 200 || answer.text !== 'slow but done') {
        failures.push(`slow: ${answer.status} ${answer.text.slice(0, 200)}`)
      }
    }
  }
  const load = [visit('/count.php', 'fresh'), visit('/page.html', 'static'), slowly()]
  try {
    for (let round = 0; round < 20; round++) {
      const tenant = await Tenant.create(panel)
      expect((await instance.site(tenant.domain, '/')).status).toBe(200)
      await panel.data('DELETE', `/api/accounts/${tenant.id}`)
      expect((await instance.site(tenant.domain, '/')).status).toBe(404)
    }
  } finally {
    churn.running = false
    await Promise.all(load)
  }
  expect(failures).toEqual([])
  expect(answers).toBeGreaterThan(20)
})

test('30 parallel misses of one page run PHP once', async () => {
  const tenant = await Tenant.create(panel)
  await tenant.put(
    'public_html/once.php',
    `<?php usleep(300000); file_put_contents(__DIR__ . '/../tmp/runs', 'x', FILE_APPEND); header('Content-Type: text/html'); echo 'page ', bin2hex(random_bytes(8));`,
  )
  // The master is up and idle workers exist, so that all requests really are in flight together.
  await instance.site(tenant.domain, '/')
  const answers = await Promise.all(
    Array.from({ length: 30 }, () => instance.site(tenant.domain, '/once.php')),
  )
  expect(new Set(answers.map((answer) => `${answer.status} ${answer.text}`)).size).toBe(1)
  expect(answers[0]!.status).toBe(200)
  const runs = await tenant.run('cat', ['--', tenant.path('tmp/runs')])
  expect(runs.stdout).toBe('x')
})

test('parallel creates respect the tier limit with its exact text', async () => {
  const { length: before } = await panel.data<unknown[]>('GET', '/api/accounts')
  const names = Array.from({ length: 8 }, (_, at) => `bt${Date.now().toString(36)}${at}`)
  const answers = await Promise.all(
    names.map((username) =>
      panel.call('POST', '/api/accounts', {
        username,
        domain: `${username}.example.com`,
        email: 'x@example.com',
        password: 'long enough 1',
        plan: 'free',
      }),
    ),
  )
  expect(answers.filter((answer) => answer.status === 200).length).toBe(5 - before)
  for (const refused of answers.filter((answer) => answer.status !== 200)) {
    expect(refused.status).toBe(403)
    expect(refused.body).toEqual({
      ok: false,
      error: 'Account limit reached (5/5). Upgrade your license for more.',
    })
  }
})
