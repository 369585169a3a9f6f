import { beforeAll, expect, test } from 'vitest'
import { processesOf } from '#test/support/processes-of.ts'
import { Tenant } from '#test/support/tenant.ts'
import { instance, panel } from '#test/support/setups/shared-instance.ts'

let mallory: Tenant
let bella: Tenant

const NAMES = ['memory_limit', 'upload_max_filesize', 'open_basedir', 'disable_functions'].concat([
  'auto_prepend_file',
  'max_input_vars',
  'sendmail_path',
  'session.save_path',
])
const SHOW = `<?php header('Content-Type: application/json');
echo json_encode(array_map('ini_get', array_combine($n = ${JSON.stringify(NAMES)}, $n))
  + ['waf' => defined('WAF'), 'foreign' => @file_get_contents('/etc/passwd') !== false]);`

const lay = async (tenant: Tenant, files: Record<string, string>): Promise<void> => {
  for (const [path, content] of Object.entries(files)) {
    const file = `public_html/${path}`
    await tenant.run('mkdir', ['-p', '--', tenant.path(file.slice(0, file.lastIndexOf('/')))])
    await tenant.put(file, content)
  }
}
const show = async (tenant: Tenant, path: string): Promise<Record<string, unknown>> => {
  const { status, body } = await instance.site(tenant.domain, path)
  expect(status, `${path}: ${body.toString().slice(0, 300)}`).toBe(200)
  return JSON.parse(body.toString()) as Record<string, unknown>
}
const mastersOf = async (tenant: Tenant): Promise<number> =>
  (await processesOf(tenant.uid)).filter((process) => /master process/.test(process)).length

beforeAll(async () => {
  mallory = await Tenant.create(panel)
  bella = await Tenant.create(panel)
  await lay(bella, { 'show.php': SHOW })
  await lay(mallory, { 'plain/show.php': SHOW })
})

test('settings of a directory reach PHP there, and neither another directory nor another site', async () => {
  const before = [await show(mallory, '/plain/show.php'), await show(bella, '/show.php')]
  await lay(mallory, {
    'set/.htaccess': `php_value memory_limit 61M\nphp_value upload_max_filesize 7M\n`,
    'set/show.php': SHOW,
    'set/deep/.htaccess': 'php_value memory_limit 62M\n',
    'set/deep/show.php': SHOW,
  })
  for (let round = 0; round < 5; round++) {
    expect(await show(mallory, '/set/show.php')).toMatchObject({
      memory_limit: '61M',
      upload_max_filesize: '7M',
    })
    expect(await show(mallory, '/set/deep/show.php')).toMatchObject({
      memory_limit: '62M',
      upload_max_filesize: '7M',
    })
    expect([await show(mallory, '/plain/show.php'), await show(bella, '/show.php')]).toEqual(before)
  }
})

test('a firewall before every script works by .htaccess and by .user.ini', async () => {
  const waf = mallory.path('public_html/waf.php')
  await lay(mallory, {
    'waf.php': `<?php define('WAF', true);`,
    'by-rules/.htaccess': `<IfModule mod_php.c>\nphp_value auto_prepend_file '${waf}'\n</IfModule>\n`,
    'by-rules/show.php': SHOW,
    'by-file/.user.ini': `; Wordfence WAF\nauto_prepend_file = '${waf}'\n`,
    'by-file/show.php': SHOW,
  })
  for (const path of ['/by-rules/show.php', '/by-file/show.php'])
    expect(await show(mallory, path), path).toMatchObject({ waf: true, auto_prepend_file: waf })
  expect(await show(mallory, '/plain/show.php')).toMatchObject({ waf: false })
})

test('what keeps accounts apart cannot be set, however it is written', async () => {
  // An account of its own: none of its settings gives way to others in use.
  const eve = await Tenant.create(panel)
  await lay(eve, { 'plain/show.php': SHOW })
  const plain = await show(eve, '/plain/show.php')
  const attacks = [
    'php_value open_basedir /',
    'php_admin_value open_basedir /',
    'php_admin_flag enable_dl on',
    'php_value open_basedir none',
    'PHP_VALUE Open_Basedir /',
    'php_value disable_functions ""',
    'php_value sendmail_path /tmp/x',
    `php_value session.save_path ${bella.path('sessions')}`,
    `php_value auto_prepend_file ${bella.path('public_html/show.php')}`,
    'php_value auto_prepend_file /etc/passwd',
    `php_value auto_prepend_file ${eve.home}/../../../etc/passwd`,
    `php_value default_charset "x\nphp_admin_value[open_basedir] = /"`,
    `php_value session.name "x' -d open_basedir=/"`,
    'php_value include_path "${open_basedir}"',
    'php_value user_ini.filename x.ini',
    'php_value extension /tmp/evil.so',
    'php_value opcache.preload /tmp/evil.php',
    `SetEnv PHP_VALUE "open_basedir=/"`,
    `SetEnv PHP_ADMIN_VALUE "open_basedir=/"`,
    `SetEnvIf Host . PHP_ADMIN_VALUE=open_basedir=/`,
    `RewriteEngine On\nRewriteRule . - [E=PHP_ADMIN_VALUE:open_basedir=/]`,
    `RequestHeader set PHP-VALUE open_basedir=/`,
  ]
  for (const [index, rules] of attacks.entries()) {
    await lay(eve, { [`attack${index}/.htaccess`]: rules, [`attack${index}/show.php`]: SHOW })
    const { status, body } = await instance.site(eve.domain, `/attack${index}/show.php`)
    // A file that Apache would not understand either closes its directory.
    if (status === 500) continue
    expect(status, rules).toBe(200)
    expect(JSON.parse(body.toString()), rules).toEqual(plain)
  }
  expect(await show(eve, '/plain/show.php')).toEqual(plain)
})

test('hundreds of settings start a few masters, and the neighbour notices nothing', async () => {
  const lines = Array.from({ length: 300 }, (_, n) => `many/${n}`)
  await mallory.run('perl', [
    '-e',
    `chdir $ARGV[0]; mkdir 'many'; for my $n (0..299) { mkdir "many/$n";
     open my $f, '>', "many/$n/.htaccess"; print $f "php_value max_input_vars " . (2000 + $n) . "\\n"; close $f;
     open my $s, '>', "many/$n/show.php"; print $s "<?php echo ini_get('max_input_vars');"; close $s }`,
    '--',
    mallory.path('public_html'),
  ])
  const answers = await Promise.all(
    lines.map((path) => instance.site(mallory.domain, `/${path}/show.php`)),
  )
  const meanwhile = await show(bella, '/show.php')
  expect(meanwhile['waf']).toBe(false)
  for (const [n, { status, body }] of answers.entries()) {
    expect([200, 503], body.toString().slice(0, 200)).toContain(status)
    if (status === 200) expect(['1000', String(2000 + n)]).toContain(body.toString())
  }
  const masters = await mastersOf(mallory)
  expect(masters).toBeGreaterThan(0)
  expect(masters).toBeLessThanOrEqual(5)
})

test('a directory without PHP neither runs scripts nor shows them', async () => {
  const script = `<?php echo 'ra', 'n'; // source`
  const ways: Record<string, string> = {
    engine: 'php_flag engine off',
    value: 'php_value engine Off',
    none: 'SetHandler none',
    default: 'SetHandler default-handler',
    source: 'AddHandler application/x-httpd-php-source .php',
    remove: 'RemoveHandler .php .phtml .html\nRemoveType .php',
    match: '<FilesMatch "\\.(?:php|html)$">\nSetHandler none\n</FilesMatch>',
    cgi: 'Options -ExecCGI\nAddHandler cgi-script .php .pl .py',
    both: 'AddHandler application/x-httpd-php .html\nphp_flag engine off',
  }
  for (const [name, rules] of Object.entries(ways)) {
    await lay(mallory, {
      [`off-${name}/.htaccess`]: `${rules}\n`,
      [`off-${name}/a.php`]: script,
      [`off-${name}/a.html`]: name === 'both' ? script : 'text',
      [`off-${name}/a.phtml`]: script,
      [`off-${name}/index.php`]: script,
    })
    for (const [path, statuses] of [
      ['a.php', [403]],
      ['a.php/x.html', [403, 404]],
      ['a.phtml', [403, 404]],
      ['', [403]],
      ['a.html', name === 'both' ? [403] : [200]],
    ] as const) {
      const { status, body } = await instance.site(mallory.domain, `/off-${name}/${path}`)
      expect(statuses, `${name} ${path}`).toContain(status)
      expect(body.toString(), `${name} ${path}`).not.toMatch(/ran|source|<\?php/)
    }
  }
})

test('rules give PHP other names, but no images', async () => {
  const script = `<?php echo 'ra', 'n'; // source`
  const files = (name: string): Record<string, string> => ({
    [`${name}/a.html`]: script,
    [`${name}/a.php5`]: script,
    [`${name}/a.jpg`]: script,
    [`${name}/b.php`]: script,
    [`${name}/index.html`]: script,
  })
  const types = '.html .php5 .jpg'
  await lay(mallory, {
    ...files('run-handler'),
    'run-handler/.htaccess': `AddHandler application/x-httpd-php82 ${types}\n`,
    ...files('run-type'),
    'run-type/.htaccess': `AddType application/x-httpd-php ${types}\n`,
    ...files('run-match'),
    'run-match/.htaccess': `<FilesMatch "\\.(html|php5?|jpg)$">
SetHandler "proxy:unix:/run/php/php-fpm.sock|fcgi://localhost"\n</FilesMatch>\n`,
  })
  for (const directory of ['run-handler', 'run-type', 'run-match']) {
    for (const path of ['a.html', 'a.php5', 'b.php', '']) {
      const { status, body } = await instance.site(mallory.domain, `/${directory}/${path}`)
      expect([status, body.toString()], `${directory}/${path}`).toEqual([200, 'ran'])
    }
    const image = await instance.site(mallory.domain, `/${directory}/a.jpg`)
    expect(image.status).toBe(403)
    expect(image.body.toString()).not.toContain('source')
  }
  await lay(mallory, {
    'picture/.htaccess': 'AddHandler application/x-httpd-php .php\n',
    'picture/a.php.jpg': 'image',
  })
  const picture = await instance.site(mallory.domain, '/picture/a.php.jpg')
  expect([picture.status, picture.body.toString()]).toEqual([200, 'image'])
  const outside = await instance.site(mallory.domain, '/plain/a.php5')
  expect(outside.status).toBe(404)
})
