import { afterAll, beforeAll, expect, test } from 'vitest'
import { startBothServers, type BothServers } from './support/both-servers.ts'
import type { CaseSite } from './support/case-site.ts'

const SHOW = `<?php header('Content-Type: application/json');
echo json_encode(array_map('ini_get', ['memory_limit' => 'memory_limit',
  'upload_max_filesize' => 'upload_max_filesize', 'display_errors' => 'display_errors']));`

const site: CaseSite = {
  name: 'php-settings',
  tree: {
    'plain/show.php': SHOW,
    'rules/.htaccess': `php_value upload_max_filesize 33M
php_flag display_errors on
php_admin_value memory_limit 1G
<IfModule mod_php.c>
php_value memory_limit 55M
</IfModule>
`,
    'rules/show.php': SHOW,
    'file/.user.ini': 'upload_max_filesize = 33M\n',
    'file/show.php': SHOW,
    'off/.htaccess': 'php_flag engine off\n',
    'off/show.php': SHOW,
  },
  asks: [],
}

let servers: BothServers
beforeAll(async () => {
  servers = await startBothServers([site], { unknown: 'ignore' })
})
afterAll(async () => {
  await servers?.stop()
})

/** Apache knows `php_value` only with PHP built in, so there is nothing to compare with. */
const settings = async (path: string): Promise<Record<string, string>> => {
  const { berth } = await servers.ask(site.name, [200, path])
  expect(berth.status, path).toBe(200)
  return JSON.parse(berth.text) as Record<string, string>
}

test('php_value breaks no site, and what only the administrator may set stays as it is', async () => {
  const plain = await settings('/plain/show.php')
  expect(plain['memory_limit']).toBe('128M')
  expect((await settings('/rules/show.php'))['memory_limit']).not.toBe('1G')
  expect(await settings('/plain/show.php')).toEqual(plain)
})

test('the settings of a .user.ini count in its directory alone', async () => {
  for (let round = 0; round < 10; round++) {
    expect((await settings('/file/show.php'))['upload_max_filesize']).toBe('33M')
    expect((await settings('/plain/show.php'))['upload_max_filesize']).toBe('2M')
  }
})

test('a directory without PHP shows no source', async () => {
  const { berth } = await servers.ask(site.name, [200, '/off/show.php'])
  expect([403, 404]).toContain(berth.status)
  expect(berth.text).not.toContain('<?php')
})
