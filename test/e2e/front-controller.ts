import { beforeAll, expect, test } from 'vitest'
import { Tenant } from '#test/support/tenant.ts'
import { instance, panel } from '#test/support/setups/shared-instance.ts'
import { FRAMEWORK_RULES } from '#test/support/setups/rewrite-rules.ts'
import { BrowserLike } from './support/browser-like.ts'

/** A router with a session, a form with a token against forgery, and a JSON interface. */
const APPLICATION = `<?php
declare(strict_types=1);
$pdo = new PDO('mysql:host=localhost;dbname={database}', '{database}', '{password}', [PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION]);
$pdo->exec('CREATE TABLE IF NOT EXISTS notes (id INT AUTO_INCREMENT PRIMARY KEY, text TEXT CHARACTER SET utf8mb4)');
session_name('laravel_session');
session_start();
$_SESSION['token'] ??= bin2hex(random_bytes(16));
setcookie('XSRF-TOKEN', $_SESSION['token'], ['path' => '/', 'samesite' => 'Lax']);
$method = $_POST['_method'] ?? $_SERVER['REQUEST_METHOD'];
$path = rawurldecode(parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH));
$json = static function (mixed $data, int $status = 200): never {
    http_response_code($status);
    header('Content-Type: application/json');
    exit(json_encode($data, JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES));
};
$guard = static function () use ($json): void {
    $given = $_POST['_token'] ?? $_SERVER['HTTP_X_XSRF_TOKEN'] ?? '';
    if (!hash_equals($_SESSION['token'], $given)) $json(['message' => 'CSRF token mismatch.'], 419);
};
$routes = [
    'GET /' => static fn () => print '<h1>Notes</h1>',
    'GET /notes/new' => static fn () => print '<form method="post" action="/notes"><input name="_token" value="' . $_SESSION['token'] . '"></form>',
    'POST /notes' => static function () use ($guard, $pdo): void {
        $guard();
        $pdo->prepare('INSERT INTO notes (text) VALUES (?)')->execute([$_POST['text']]);
        header('Location: /notes/' . $pdo->lastInsertId(), true, 303);
    },
    'GET /api/user' => static function () use ($json): void {
        $json(['bearer' => $_SERVER['HTTP_AUTHORIZATION'] ?? null]);
    },
    'POST /api/echo' => static function () use ($json): void {
        $json(['got' => json_decode(file_get_contents('php://input'), true), 'query' => $_GET]);
    },
];
$found = $routes["$method $path"] ?? null;
if ($found !== null) $found();
elseif (preg_match('#^/notes/(\\\\d+)$#', $path, $part) && $method === 'GET') {
    $row = $pdo->query('SELECT text FROM notes WHERE id = ' . (int) $part[1])->fetchColumn();
    $row === false ? $json(['message' => 'Not Found'], 404) : print htmlspecialchars($row);
} elseif (preg_match('#^/notes/(\\\\d+)$#', $path, $part) && $method === 'DELETE') {
    $guard();
    $pdo->exec('DELETE FROM notes WHERE id = ' . (int) $part[1]);
    http_response_code(204);
} elseif (preg_match('#^/tags/(.+)$#', $path, $part)) $json(['tag' => $part[1], 'script' => $_SERVER['SCRIPT_NAME']]);
else { http_response_code(404); echo 'Nothing at ', htmlspecialchars($path); }
`

let tenant: Tenant
let domain = ''

/** The application as its framework lays it out: only `public` is for visitors. */
beforeAll(async () => {
  tenant = await Tenant.create(panel, 'pro')
  domain = `app.${tenant.domain}`
  await panel.data('POST', '/api/databases', {
    account_id: tenant.id,
    db_name: 'notes',
    db_password: 'Nt-pass-0123456789',
  })
  await panel.data('POST', '/api/domains', {
    account_id: tenant.id,
    domain_name: domain,
    domain_type: 'subdomain',
    document_root: tenant.path('notes/public'),
  })
  await tenant.run('rm', ['-f', '--', tenant.path('notes/public/index.html')])
  await tenant.run('mkdir', ['-p', '--', tenant.path('notes/public/build')])
  await tenant.put('notes/.env', 'APP_KEY=secret')
  await tenant.put('notes/public/.htaccess', FRAMEWORK_RULES)
  await tenant.put('notes/public/build/app.js', 'console.log(1)')
  const code = APPLICATION.replaceAll('{database}', `${tenant.username}_notes`)
  await tenant.put('notes/app.php', code.replaceAll('{password}', 'Nt-pass-0123456789'))
  await tenant.put('notes/public/index.php', "<?php require __DIR__ . '/../app.php';")
})

test('routes, files and slashes', async () => {
  const home = await instance.site(domain, '/')
  expect([home.status, home.text]).toEqual([200, '<h1>Notes</h1>'])
  const file = await instance.site(domain, '/build/app.js')
  expect([file.status, file.text]).toEqual([200, 'console.log(1)'])
  const moved = await instance.site(domain, '/notes/new/?from=mail')
  expect(moved.status).toBe(301)
  const target = new URL(moved.headers['location'] ?? '', `http://${domain}`)
  expect([target.host, target.pathname, target.search]).toEqual([
    domain,
    '/notes/new',
    '?from=mail',
  ])
  const tag = await instance.site(domain, '/tags/caf%C3%A9%20au%20lait')
  expect(JSON.parse(tag.text)).toEqual({ tag: 'café au lait', script: '/index.php' })
  expect((await instance.site(domain, '/missing')).text).toBe('Nothing at /missing')
  for (const path of ['/.env', '/../.env', '/%2e%2e/.env']) {
    expect((await instance.site(domain, path)).text, path).not.toContain('secret')
  }
})

test('a form with its token is taken once signed, and refused without', async () => {
  const visitor = new BrowserLike(instance, domain)
  const form = await visitor.get('/notes/new')
  const token = /name="_token" value="([0-9a-f]+)"/.exec(form.text)?.[1] ?? ''
  expect(token).toHaveLength(32)
  expect(visitor.cookieNames().toSorted()).toEqual(['XSRF-TOKEN', 'laravel_session'])
  expect((await visitor.post('/notes', { text: 'no token' })).status).toBe(419)
  const saved = await visitor.post('/notes', { _token: token, text: 'Grüße & <more>' })
  expect(saved.status).toBe(303)
  const place = saved.headers['location'] ?? ''
  expect((await visitor.get(place)).text).toBe('Grüße &amp; &lt;more&gt;')
  // Another visitor's session has another token.
  const stranger = new BrowserLike(instance, domain)
  await stranger.get('/')
  expect((await stranger.post('/notes', { _token: token, text: 'forged' })).status).toBe(419)
  const gone = await visitor.request(place, {
    method: 'DELETE',
    headers: { 'x-xsrf-token': token },
  })
  expect(gone.status).toBe(204)
  expect((await visitor.get(place)).status).toBe(404)
})

test('JSON and bearer tokens reach the application', async () => {
  const visitor = new BrowserLike(instance, domain)
  const echo = await visitor.request('/api/echo?page=2&tags[]=a', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Øre', list: [1, 2] }),
  })
  expect(JSON.parse(echo.text)).toEqual({
    got: { name: 'Øre', list: [1, 2] },
    query: { page: '2', tags: ['a'] },
  })
  const user = await visitor.request('/api/user', { headers: { authorization: 'Bearer abc' } })
  expect(JSON.parse(user.text)).toEqual({ bearer: 'Bearer abc' })
  const stranger = await instance.site(domain, '/api/user')
  expect(JSON.parse(stranger.text)).toEqual({ bearer: null })
})
