import { beforeAll, describe, expect, test } from 'vitest'
import { Tenant } from '#test/support/tenant.ts'
import { instance, panel } from '#test/support/setups/shared-instance.ts'

/** Pages of which all accounts have the same tags; `/act` sends the field that the query has. */
const SITE = `<?php
header('Content-Type: text/html');
if (isset($_GET['field'])) header($_GET['field']);
header('X-LiteSpeed-Tag: abc_,abc_Po.1');
echo bin2hex(random_bytes(8));`

/** Sends lines to the web server from where it runs and echoes the status. */
const SEND = `$socket = stream_socket_client('tcp://127.0.0.1:' . $port, $code, $error, 5);
stream_set_timeout($socket, 5);
fwrite($socket, implode("\\r\\n", $lines) . "\\r\\nConnection: close\\r\\n\\r\\n");
echo substr(stream_get_contents($socket), 9, 3);`

let alice: Tenant
let bobby: Tenant

const newTenant = async (): Promise<Tenant> => {
  const tenant = await Tenant.create(panel)
  await tenant.run('rm', ['-f', '--', tenant.path('public_html', 'index.html')])
  await tenant.put('public_html/index.php', SITE)
  return tenant
}
beforeAll(async () => {
  alice = await newTenant()
  bobby = await newTenant()
})

const page = async ({ domain }: Tenant): Promise<string> =>
  (await instance.site(domain, '/page')).text
const phpList = (lines: readonly string[]): string =>
  `[${lines.map((line) => JSON.stringify(line).replaceAll('$', '\\$')).join(',')}]`

/** Status of a request that a process of the tenant sends. */
const send = async (tenant: Tenant, lines: readonly string[]): Promise<string> => {
  const code = `$port = ${instance.webPort}; $lines = ${phpList(lines)}; ${SEND}`
  const { stdout, stderr } = await tenant.run('/usr/bin/php', ['-r', code])
  return stdout || stderr
}
/** Whether the page of bobby's site is another after what is done. */
const isNew = async (act: () => Promise<unknown>): Promise<boolean> => {
  const before = await page(bobby)
  expect(await page(bobby)).toBe(before)
  await act()
  return (await page(bobby)) !== before
}

describe('purges', () => {
  test('by fields of an answer reach the own site alone', async () => {
    const names = ['abc_', 'abc_Po.1', '*', 'public,*', '/page', '/*', `host:${bobby.domain}`]
    for (const name of [...names, `host:${bobby.domain} abc_`, `//${bobby.domain}/page`]) {
      for (const field of ['X-LiteSpeed-Purge', 'X-LiteSpeed-Purge2', 'X-Cache-Purge']) {
        const target = `/act?field=${encodeURIComponent(`${field}: ${name}`)}`
        const act = () => instance.site(alice.domain, target)
        expect(await isNew(act), `${field}: ${name}`).toBe(false)
        // Nor by the name of the other site in a field of the request.
        const forged = { 'x-forwarded-host': bobby.domain, 'x-litespeed-purge': name }
        expect(await isNew(() => instance.site(alice.domain, target, { headers: forged }))).toBe(
          false,
        )
      }
    }
    const own = `/act?field=${encodeURIComponent('X-LiteSpeed-Purge: abc_Po.1')}`
    expect(await isNew(() => instance.site(bobby.domain, own))).toBe(true)
  })

  test('by PURGE are for processes of the own account', async () => {
    const lines = ['PURGE /page HTTP/1.1', `Host: ${bobby.domain}`]
    const all = ['PURGE /.* HTTP/1.1', `Host: ${bobby.domain}`, 'X-Purge-Method: regex']
    for (const some of [lines, all]) {
      for (const more of [[], ['X-Forwarded-For: 127.0.0.1'], [`X-Uid: ${bobby.uid}`]]) {
        const ask = async () => expect(await send(alice, [...some, ...more])).toBe('405')
        expect(await isNew(ask)).toBe(false)
      }
      // Root, and with it whatever a closed socket looks like, has the token for that.
      const asRoot = async () => {
        const [first = ''] = some
        const [method = '', path = ''] = first.split(' ')
        const answer = await instance.site(bobby.domain, path, { method })
        expect(answer.status).toBe(405)
      }
      expect(await isNew(asRoot)).toBe(false)
      const own = async () => expect(await send(bobby, some)).toBe('200')
      expect(await isNew(own)).toBe(true)
      const foreign = some.map((line) => line.replace(bobby.domain, alice.domain))
      expect(await isNew(() => send(alice, foreign))).toBe(false)
    }
  })

  test("by PURGE work from the site's own PHP", async () => {
    const lines = phpList(['PURGE /page HTTP/1.1', `Host: ${bobby.domain}`])
    const script = `<?php header('Cache-Control: no-store'); $port = ${instance.webPort}; $lines = ${lines}; ${SEND}`
    await bobby.put('public_html/purge.php', script)
    const ask = async () =>
      expect((await instance.site(bobby.domain, '/purge.php')).text).toBe('200')
    expect(await isNew(ask)).toBe(true)
  })
})
