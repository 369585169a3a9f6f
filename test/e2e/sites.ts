import { expect, test } from 'vitest'
import { Tenant } from '#test/support/tenant.ts'
import { instance, panel } from '#test/support/setups/shared-instance.ts'

test('an alias is a name of its site: purging the primary reaches it', async () => {
  const tenant = await Tenant.create(panel)
  const alias = `alias-${tenant.domain}`
  const page = '<?php header("Content-Type: text/html"); echo bin2hex(random_bytes(8));'
  await tenant.put('public_html/page.php', page)
  const added = await panel.data<{ id: number }>('POST', '/api/domains', {
    account_id: tenant.id,
    domain_name: alias,
    domain_type: 'alias',
    document_root: tenant.path('public_html'),
  })
  const first = await instance.site(alias, '/page.php')
  expect([first.status, first.headers['x-cache']]).toEqual([200, 'MISS'])
  const hit = await instance.site(alias, '/page.php')
  expect([hit.text, hit.headers['x-cache']]).toEqual([first.text, 'HIT'])
  await panel.purge({ domain: tenant.domain })
  const fresh = await instance.site(alias, '/page.php')
  expect(fresh.headers['x-cache']).toBe('MISS')
  expect(fresh.text).not.toBe(first.text)
  await panel.data('DELETE', `/api/domains/${added.id}`)
  expect((await instance.site(alias, '/page.php')).status).toBe(404)
  expect((await instance.site(tenant.domain, '/page.php')).status).toBe(200)
})

test('a restart gives all sites new workers; nobody fails, or waits for a slow request', async () => {
  const slow = await Tenant.create(panel)
  const busy = await Tenant.create(panel)
  // It ends when it is told to.
  await slow.put(
    'public_html/slow.php',
    '<?php while (!file_exists("go")) { usleep(20000); clearstatcache(); } echo "slow but done";',
  )
  await busy.put('public_html/fast.php', '<?php header("Cache-Control: no-store"); echo "fresh";')
  await instance.site(busy.domain, '/fast.php')
  const before = (await instance.pids()).workers
  let slowEnded = false
  const pending = instance.site(slow.domain, '/slow.php').finally(() => (slowEnded = true))
  const load = { running: true }
  const failures: string[] = []
  let answers = 0
  const visit = async (): Promise<void> => {
    while (load.running && answers < 20_000) {
      const answer = await instance
        .site(busy.domain, '/fast.php')
        .catch((error: unknown) => ({ status: 0, text: String(error) }))
      answers++
      if (answer.text !== 'fresh') failures.push(`${answer.status} ${answer.text.slice(0, 200)}`)
    }
  }
  const visitors = [visit(), visit()]
  try {
    await panel.data('POST', '/api/veloserve/restart')
    const sinceRestart = answers
    await expect.poll(() => answers).toBeGreaterThan(sinceRestart + 50)
    expect(slowEnded).toBe(false)
    const status = await panel.data<{ running: boolean; workers: number }>(
      'GET',
      '/api/veloserve/status',
    )
    expect(status).toMatchObject({ running: true, workers: before.length })
    await slow.put('public_html/go', '')
    expect(await pending).toMatchObject({ status: 200, text: 'slow but done' })
  } finally {
    load.running = false
    await Promise.all(visitors)
  }
  expect(failures).toEqual([])
  await expect
    .poll(async () => (await instance.pids()).workers.filter((pid) => before.includes(pid)), {
      timeout: 30_000,
    })
    .toEqual([])
})
