import { chownSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { get } from '#test/node/web-server/support/get.ts'
import { shareWeb, web } from '#test/node/web-server/support/shared-web.ts'

/** No account of this machine. */
const UID = 64_347

const rules = `RewriteEngine On
RewriteCond %{HTTP_HOST} !=site.test
RewriteRule ^page\\.html$ /other.html [L]
RewriteCond %{HTTP:Host} ^site\\.test$
RewriteRule ^second\\.html$ /page.html [L]
RewriteRule ^second\\.html$ /other.html [L]
`

shareWeb({ workers: 1 })
beforeAll(async () => {
  const home = join(web.directory, 'home/site')
  const www = join(home, 'www')
  mkdirSync(www, { recursive: true })
  const files = { 'page.html': 'the page', 'other.html': 'another page', '.htaccess': rules }
  for (const [name, content] of Object.entries(files)) writeFileSync(join(www, name), content)
  for (const path of [home, www, ...Object.keys(files).map((name) => join(www, name))]) {
    chownSync(path, UID, UID)
  }
  web.writeHosts(
    'site',
    `[[virtualhost]]\ndomain = "site.test"\nroot = "${www}"\nhome = "${home}"\nusername = "site"\nuid = ${UID}\n[virtualhost.php]\nenable = false\n`,
  )
  expect((await web.control('POST', '/reload')).status).toBe(200)
})

// Their pages have one address: what rules decide by the spelling would be stored for everybody.
test.each(['/page.html', '/second.html'])(
  'no spelling of a site’s name makes its rules put another page at %s',
  async (path) => {
    for (const host of ['site.test:9999', 'SITE.test', 'site.test.', 'Site.Test.:80']) {
      expect((await get(web.port, host, path)).body).toBe('the page')
    }
    const stored = await get(web.port, 'site.test', path)
    expect([stored.body, stored.headers['x-cache']]).toEqual(['the page', 'HIT'])
  },
)
