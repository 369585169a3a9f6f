import { request } from 'node:http'
import { beforeAll, expect, test } from 'vitest'
import { Tenant } from '#test/support/tenant.ts'
import { instance, panel } from '#test/support/setups/shared-instance.ts'

let mallory: Tenant

/** Status of a call to the panel as browsers make it under `host`. */
const under = (host: string, path: string, token: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const headers = { host, authorization: `Bearer ${token}` }
    request(new URL(path, instance.panelUrl), { headers }, (answer) => {
      answer.resume()
      resolve(answer.statusCode ?? 0)
    })
      .on('error', reject)
      .end()
  })

beforeAll(async () => {
  mallory = await Tenant.create(panel)
})

test("the panel's session cookie reaches no site, whatever surrounds it", async () => {
  await mallory.put(
    'public_html/cookies.php',
    `<?php header('Cache-Control: no-store'); echo json_encode([$_COOKIE, $_SERVER['HTTP_COOKIE'] ?? null]);`,
  )
  const cookies = [
    'panel_token=secret',
    'a=1; panel_token=secret; b=2',
    'panel_token=secret;a=1',
    ' panel_token =secret; a=1',
    'Panel_Token=secret',
  ]
  for (const cookie of cookies) {
    const { text, status } = await instance.site(mallory.domain, '/cookies.php', {
      headers: { cookie },
    })
    expect(status).toBe(200)
    expect(text).not.toContain('secret')
    if (cookie.includes('a=1')) expect(text).toContain('"a":"1"')
  }
})

test("a tenant cannot take the panel's name, nor one above or below it", async () => {
  const suffix = mallory.username
  expect(await under(`panel.${suffix}.test:9443`, '/api/auth/me', panel.token ?? '')).toBe(200)
  const { token } = await panel.data<{ token: string }>('POST', '/api/auth/login', {
    username: mallory.username,
    password: mallory.password,
  })
  const add = (name: string, as: string | null) =>
    panel.call(
      'POST',
      '/api/domains',
      {
        account_id: mallory.id,
        domain_name: name,
        domain_type: 'addon',
        document_root: mallory.path('public_html'),
      },
      as,
    )
  for (const name of [`panel.${suffix}.test`, `${suffix}.test`, `x.panel.${suffix}.test`]) {
    const answer = await add(name, token)
    expect([name, answer.status]).toEqual([name, 409])
    expect(answer.body.error).toContain('control panel')
  }
  expect((await add('shop.localhost', token)).status).toBe(409)
  expect((await add(`panel.${suffix}.test`, panel.token)).status).toBe(409)
  // The domain that the panel's name belongs to is the administrator's to give.
  expect((await add(`${suffix}.test`, panel.token)).status).toBe(200)
  expect((await add(`other-${suffix}.test`, token)).status).toBe(200)
})
