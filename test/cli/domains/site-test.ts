import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { instance, panel } from '#test/support/setups/shared-instance.ts'
import { temporaryDirectory } from '#test/support/setups/temporary-directory.ts'
import { Tenant } from '#test/support/tenant.ts'
import { Berth } from '../support/run-berth.ts'

let alice: Tenant
let berth: Berth
let directory: string

beforeAll(async () => {
  alice = await Tenant.create(panel)
  berth = new Berth('--config', instance.config.file)
  directory = temporaryDirectory('site-test-')
  await alice.put('public_html/page.html', 'a page')
  await alice.put(
    'public_html/.htaccess',
    `RewriteEngine On
RewriteCond %{HTTP_USER_AGENT} Phone
RewriteRule ^page\\.html$ /mobile [R=302,L]
RewriteRule ^old$ /page.html [R=301,L]
`,
  )
})
afterAll(() => berth?.remove())

test('which rule does what is said as the web server then does it', async () => {
  const old = await berth.ok('site test', [alice.domain, '/old'])
  expect(old).toContain('- /.htaccess:3 RewriteRule ^page\\.html$ /mobile [R=302,L]')
  expect(old).toContain('+ /.htaccess:4 RewriteRule ^old$ /page.html [R=301,L]')
  expect(old).toContain(`Answer: 301 to http://${alice.domain}/page.html`)
  const { status } = await instance.site(alice.domain, '/old')
  expect(status).toBe(301)
  const phone = ['--header', 'User-Agent: Phone/1', '--method', 'HEAD']
  expect(await berth.ok('site test', [alice.domain, '/page.html', ...phone])).toContain(
    'holds: RewriteCond %{HTTP_USER_AGENT} Phone (is "Phone/1")',
  )
  expect(await berth.ok('site test', [alice.domain, '/page.html'])).toContain(
    'Answer: 200, the file /page.html',
  )
})

test('rules that are not saved are tried, and a fault is told with its line', async () => {
  const draft = join(directory, 'draft.htaccess')
  writeFileSync(draft, 'RewriteEngine On\nRewriteRule ^page - [G]\n')
  const gone = await berth.ok('site test', [alice.domain, '/page.html', '--draft', draft])
  expect(gone).toContain('Answer: 410')
  expect((await instance.site(alice.domain, '/page.html')).status).toBe(200)
  writeFileSync(draft, 'RewriteEngine Perhaps\n')
  const bad = await berth.ok('site test', [alice.domain, '/', '--draft', draft])
  expect(bad).toContain('line 1: rewriteengine: RewriteEngine must be On or Off')
  expect(bad).toContain('Answer: 500')
})
