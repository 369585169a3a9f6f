import { beforeAll, expect, test } from 'vitest'
import { Tenant } from '#test/support/tenant.ts'
import { instance, panel } from '#test/support/setups/shared-instance.ts'

let mallory: Tenant
let bella: Tenant

/** The attack keeps the machine busy, which may take a while of its own; held up is who waits for its end. */
const HELD_UP_MS = 15_000
/** The attack itself may take as long as it likes. */
const PATIENCE_MS = 100_000

/** Links through links as `.htaccess` of nested directories: one look takes the kernel milliseconds. */
const LAY_LINKS = `
chdir $ARGV[0]; mkdir 'd'; mkdir 'end'; mkdir 'links';
my $long = 'd/../' x 760;
for my $n (0..37) { symlink($long . ($n < 37 ? 'c' . ($n + 1) : 'end'), "c$n") or die $!; }
my $at = 'links';
for my $depth (1..40) {
  symlink('../' x $depth . $long . 'c0/none', "$at/.htaccess") or die $!;
  $at .= '/x'; mkdir $at;
}
print 'laid';
`

const ask = async (path: string, headers?: Record<string, string>): Promise<number> =>
  (
    await instance.site(mallory.domain, path, {
      timeoutMs: PATIENCE_MS,
      ...(headers ? { headers } : {}),
    })
  ).status

/** A directory of mallory's with rules and a file. */
const lay = async (directory: string, rules: string): Promise<void> => {
  await mallory.run('mkdir', ['-p', '--', mallory.path('public_html', directory)])
  await mallory.put(`public_html/${directory}/.htaccess`, rules)
  await mallory.put(`public_html/${directory}/a.txt`, 'text')
}

/** The slowest of bella's pages while `attack` runs. */
const slowestMeanwhile = async (attack: Promise<unknown>): Promise<number> => {
  let underWay = true
  const over = attack.then(
    () => (underWay = false),
    () => (underWay = false),
  )
  let slowestMs = 0
  do {
    const startMs = performance.now()
    expect((await instance.site(bella.domain, '/page.html')).status).toBe(200)
    slowestMs = Math.max(slowestMs, performance.now() - startMs)
  } while (underWay)
  await over
  return slowestMs
}

beforeAll(async () => {
  mallory = await Tenant.create(panel)
  bella = await Tenant.create(panel)
  await bella.put('public_html/page.html', 'hello')
  await bella.put('passwords', 'eve:{SHA}W6ph5Mm5Pz8GgiULbPgzG37mj9g=\n')
})

test('links as rules in nested directories do not hold up a neighbour', async () => {
  const laid = await mallory.run('perl', ['-e', LAY_LINKS, '--', mallory.path('public_html')])
  expect(laid.stdout).toBe('laid')
  const paths = Array.from({ length: 60 }, (_, n) => `/links/${'x/'.repeat(n % 40)}a${n}.txt`)
  const attack = Promise.all(paths.map((path) => ask(path)))
  expect(await slowestMeanwhile(attack)).toBeLessThan(HELD_UP_MS)
  for (const status of await attack) expect([403, 404, 500, 503]).toContain(status)
})

test('rules that are no ordinary file of the account close the directory', async () => {
  await lay('fifo', '')
  await mallory.run('rm', ['--', mallory.path('public_html/fifo/.htaccess')])
  await mallory.run('mkfifo', ['--', mallory.path('public_html/fifo/.htaccess')])
  expect(await ask('/fifo/a.txt')).toBe(403)

  await lay('foreign', '')
  await mallory.run('ln', [
    '-sf',
    '--',
    '/etc/hostname',
    mallory.path('public_html/foreign/.htaccess'),
  ])
  expect(await ask('/foreign/a.txt')).toBe(403)

  await lay('huge', `# ${'x'.repeat(300 * 1024)}\n`)
  expect(await ask('/huge/a.txt')).toBe(500)

  await lay('endless', 'RewriteEngine On\nRewriteRule ^(.*)$ $1x [N]\n')
  expect(await ask('/endless/a.txt')).toBe(500)
})

test("passwords of another account's file open nothing", async () => {
  const rules = (file: string): string =>
    `AuthType Basic\nAuthName x\nAuthUserFile ${file}\nRequire valid-user\n`
  await lay('theirs', rules(bella.path('passwords')))
  await lay('linked', rules(mallory.path('link')))
  await mallory.run('ln', ['-s', '--', bella.path('passwords'), mallory.path('link')])
  await lay('above', rules(`${mallory.home}/../${bella.username}/passwords`))
  const authorization = `Basic ${btoa('eve:password')}`
  for (const directory of ['theirs', 'linked', 'above']) {
    expect([401, 500]).toContain(await ask(`/${directory}/a.txt`, { authorization }))
  }
  await lay('own', rules(mallory.path('own-passwords')))
  await mallory.put('own-passwords', 'eve:{SHA}W6ph5Mm5Pz8GgiULbPgzG37mj9g=\n')
  expect(await ask('/own/a.txt', { authorization })).toBe(200)
})

test('no rule leads out of the document root, or learns what lies outside the home', async () => {
  await lay(
    'out',
    `RewriteEngine On
RewriteRule ^up$ ../../../../../etc/passwd [L]
RewriteRule ^etc$ /etc/passwd [L]
RewriteRule ^file$ file:///etc/passwd [L]
RewriteRule ^hidden$ /out/.htaccess [L]
RewriteRule ^bella$ ${bella.path('public_html/page.html')} [L]
RewriteRule ^proxy$ http://127.0.0.1:8090/api/v1/status [P]
RewriteCond /etc/passwd -f [OR]
RewriteCond ${bella.path('public_html/page.html')} -f
RewriteRule ^test$ a.txt [L]
`,
  )
  for (const name of ['up', 'etc', 'hidden', 'bella', 'proxy', 'test']) {
    expect([400, 403, 404], name).toContain(await ask(`/out/${name}`))
  }
  const file = await instance.site(mallory.domain, '/out/file')
  expect(file.body.toString()).not.toContain('root:')
  expect(await ask('/out/.htaccess')).toBe(404)
})

test('headers of rules cannot split an answer', async () => {
  await lay(
    'split',
    `RewriteEngine On
RewriteRule ^go/(.*)$ https://example.com/$1 [R,NE,L]
RewriteRule ^cookie/(.*)$ a.txt [CO=a:$1:example.com,L]
`,
  )
  const go = await instance.site(mallory.domain, '/split/go/a%0d%0aX-Evil:1')
  expect(go.headers['x-evil']).toBeUndefined()
  const cookie = await instance.site(mallory.domain, '/split/cookie/a%3B%20domain=evil.com')
  expect(cookie.setCookies.join()).not.toContain('evil.com')
})

test('patterns that never end are given up, without the neighbours', async () => {
  await lay('bomb', 'RewriteEngine On\nRewriteRule ^(([a-z]+)+)+$ /x [L]\n')
  await lay('bombs', `RewriteEngine On\n${'RewriteRule ^(.*)*=(.*)*!$ /x [L]\n'.repeat(500)}`)
  const long = 'a'.repeat(3000)
  const paths = Array.from({ length: 60 }, (_, n) =>
    n % 2 === 0 ? `/bomb/${long}-${n}` : `/bombs/${long}-${n}`,
  )
  const attack = Promise.all(paths.map((path) => ask(path)))
  expect(await slowestMeanwhile(attack)).toBeLessThan(HELD_UP_MS)
  for (const status of await attack) expect([500, 503]).toContain(status)
})
