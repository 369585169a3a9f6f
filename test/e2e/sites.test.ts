import { afterAll, beforeAll, expect, test } from 'vitest'
import { startInstance } from '#test/support/instance.ts'
import type { Instance } from '#test/support/instance-types.ts'
import { PanelClient } from '#test/support/panel-client.ts'
import { Tenant } from '#test/support/tenant.ts'

let instance: Instance
let panel: PanelClient

beforeAll(async () => {
  instance = await startInstance()
  panel = new PanelClient(instance)
  await panel.setup()
})
afterAll(async () => {
  await instance?.stop()
})

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
