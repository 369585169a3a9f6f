import { afterAll, beforeAll } from 'vitest'
import { siteSuite } from '#test/contract/sites/sites.ts'
import { createTestHost } from './php-fpm.ts'

const ECHO = `<?php header('Content-Type: application/json');
echo json_encode(['script' => $_SERVER['SCRIPT_NAME'], 'pathInfo' => $_SERVER['PATH_INFO'] ?? '',
  'uri' => $_SERVER['REQUEST_URI'], 'query' => $_SERVER['QUERY_STRING'],
  'method' => $_SERVER['REQUEST_METHOD']]);`

const host = createTestHost()
beforeAll(() => host.startPhp({ pool: ['php_admin_flag[opcache.enable] = off'] }))
afterAll(() => host.stop())

siteSuite('site on disk with PHP-FPM', async (tree, changes) => {
  host.clear()
  host.plant(
    Object.fromEntries(
      Object.entries(tree).map(([name, content]) => [
        name,
        name.endsWith('.php') && content !== null ? ECHO : content,
      ]),
    ),
  )
  return host.site(changes)
})
