import { chownSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { writeCertificate } from '#test/node/web-server/support/certificates.ts'
import { get, KeptConnection } from '#test/node/web-server/support/get.ts'
import { H2Client } from '#test/node/web-server/support/h2-client.ts'
import { phpHost, startPhpSite, type PhpSite } from '#test/node/web-server/support/php-site.ts'
import { exchange, splitResponses } from '#test/node/web-server/support/raw-client.ts'
import { siteToml } from '#test/node/web-server/support/static-web.ts'
import { eventually, startWeb, type WebProcess } from '#test/node/web-server/support/web-process.ts'

const SECRET = 'db_password = "tell nobody"'
/** No account of this machine. */
const OWNER = 64_331
const OTHER = 64_332

let web: WebProcess
let php: PhpSite
let h2: H2Client
beforeAll(async () => {
  web = await startWeb({ workers: 1 })
  php = await startPhpSite(web.directory)
  const certificate = writeCertificate(web, 'p', 'p.test')
  web.writeHosts('p', phpHost(php, 'p.test', certificate))
  web.writeHosts('s', siteToml(web, 's.test').replace('/state"', '/site/htdocs"'))
  expect((await web.control('POST', '/reload')).status).toBe(200)
  h2 = await H2Client.open(web.sslPort, 'p.test')
})
afterAll(async () => {
  h2?.close()
  await php?.stop()
  await web?.remove()
})

const plant = (name: string, content = SECRET): void => {
  const path = join(php.root, name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
}
interface Seen {
  status: number
  body: string
}
/** Over HTTP/1.1 from a site with PHP and from one without, and over HTTP/2. */
const everyWay = async (path: string): Promise<Seen[]> => [
  await get(web.port, 'p.test', path),
  await get(web.port, 's.test', path),
  await h2.get(path),
]

describe('never served, whatever asks for it', () => {
  const FILES = [
    '.env',
    '.env.local',
    '.git/config',
    '.git/HEAD',
    '.svn/wc.db',
    '.hg/store/data',
    '.htaccess',
    '.htpasswd',
    '.user.ini',
    '.DS_Store',
    '.ssh/id_ed25519',
    '.idea/workspace.xml',
    '.config.php.swp',
    '.config.php.un~',
    '.#config.php',
    'shop/.env',
    '.well-known/.env',
    'config.php~',
    'config.php.~1~',
    'config.html~',
    '#config.php#',
    '#notes#',
    'config.php.swp',
    'config.swo',
    'config.php.bak',
    'config.php.BAK',
    'config.bak2',
    'config.inc.php.bak',
    'wp-config.php.bak',
    'wp-config.php_bak',
    'wp-config.php-backup',
    'wp-config.php.save',
    'wp-config.php.save.1',
    'wp-config.php.old',
    'wp-config.php.orig',
    'wp-config.php.dist',
    'wp-config.php.1',
    'wp-config.php copy',
    'wp-config.old',
    'settings.yml.orig',
    'settings.yml.rej',
    'settings.backup',
    'index.html.save',
    'index.phtml',
    'database.inc',
    'archive.phar',
    'source.phps',
    'source.php7',
  ]

  test.each(FILES)('%s', async (name) => {
    plant(name)
    const plain = `/${name.split('/').map(encodeURIComponent).join('/')}`
    const spelled = `/${[...Buffer.from(name)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')}`
    const ways = [
      plain,
      `/${plain}`,
      `/./x/..${plain}`,
      `${plain}?v=1`,
      spelled.replaceAll('%2f', '/'),
    ]
    for (const path of [...ways, `${plain}/`, `${plain}/index.php`, `${plain}%00.html`])
      for (const answer of await everyWay(path)) {
        expect(answer.body, path).not.toContain(SECRET)
        expect(answer.status, path).not.toBe(206)
      }
    for (const path of ways)
      for (const { status } of await everyWay(path)) expect(status, path).toBe(404)
    const part = await get(web.port, 's.test', plain, 'Range: bytes=0-5\r\n')
    expect(part.status).toBe(404)
  })

  test('what only looks like one is served', async () => {
    for (const name of [
      'c#',
      'talk#2.html',
      'old.html',
      'bakery.txt',
      'movie.swf',
      'a.b~c.html',
      '.well-known/security.txt',
    ]) {
      plant(name, 'welcome')
      const path = `/${name.split('/').map(encodeURIComponent).join('/')}`
      for (const answer of await everyWay(path))
        expect([path, answer.status, answer.body]).toEqual([path, 200, 'welcome'])
    }
  })
})

describe('scripts', () => {
  test('run only as what they are named', async () => {
    plant('pic.jpg', '<?php echo "ra", "n";')
    plant('data', '<?php echo "ra", "n";')
    plant('upload.php.jpg', '<?php echo "ra", "n";')
    for (const path of [
      '/pic.jpg/y.php',
      '/pic.jpg/.php',
      '/pic.jpg%00.php',
      '/pic.jpg/x/y.php',
      '/pic.jpg%2Fy.php',
      '/pic.jpg;.php',
      '/pic.jpg.php',
      '/data/y.php',
      '/upload.php.jpg',
      '/upload.php.jpg/y.php',
    ])
      for (const { body } of await everyWay(path)) expect([path, body]).not.toEqual([path, 'ran'])
  })
})

describe('a document root that is a link', () => {
  const home = (): string => join(web.directory, 'home/t')
  const serve = async (): Promise<Seen[]> => {
    const seen: Seen[] = [
      await get(web.port, 't.test', '/page.html'),
      await get(web.port, 't.test'),
    ]
    const secure = await H2Client.open(web.sslPort, 't.test')
    seen.push(await secure.get('/page.html'), await secure.get('/page.html?1'))
    secure.close()
    return seen
  }

  test('shows what it leads to inside the home, and nothing outside, also when it changes', async () => {
    const own = (path: string, uid: number): void => chownSync(path, uid, uid)
    for (const [path, uid] of [
      ['home/t', OWNER],
      ['home/t/real', OWNER],
      ['home/u', OTHER],
    ] as const) {
      mkdirSync(join(web.directory, path), { recursive: true })
      own(join(web.directory, path), uid)
      for (const name of ['page.html', 'index.html']) {
        writeFileSync(join(web.directory, path, name), path === 'home/t/real' ? 'mine' : SECRET)
        own(join(web.directory, path, name), uid)
      }
    }
    // Also owned by the account, but not in its home.
    own(join(web.directory, 'home/u/index.html'), OWNER)
    rmSync(join(home(), 'page.html'))
    const point = (target: string): void => {
      symlinkSync(target, join(home(), 'next'))
      renameSync(join(home(), 'next'), join(home(), 'www'))
    }
    point('real')
    web.writeHosts(
      't',
      `[[virtualhost]]\ndomain = "t.test"\nroot = "${home()}/www"\nhome = "${home()}"\nusername = "t"\nuid = ${OWNER}\n[virtualhost.php]\nenable = false\n`,
    )
    expect((await web.control('POST', '/reload')).status).toBe(200)
    for (const { status, body } of await serve()) expect([status, body]).toEqual([200, 'mine'])
    for (const target of [
      '../u',
      join(web.directory, 'home/u'),
      '/etc',
      '..',
      '/proc/self/root/etc',
    ]) {
      point(target)
      // A page from before may be shown for the second that files are taken for unchanged.
      await eventually('looked at again', async () =>
        (await serve()).every(({ status }) => status === 404),
      )
      for (const { body } of await serve()) expect([target, body]).not.toEqual([target, SECRET])
    }
    point('real')
    await eventually('back', async () => (await serve()).every(({ status }) => status === 200))
  })
})

describe('over TLS with HTTP/1.1', () => {
  const ask = async (servername: string | undefined, host: string, more = ''): Promise<number> => {
    const text = await exchange(
      web.sslPort,
      `${more === '' ? 'GET' : 'POST'} / HTTP/1.1\r\nHost: ${host}\r\n${more}Connection: close\r\n\r\n`,
      { servername: servername ?? '' },
    )
    return splitResponses(text)[0]?.status ?? 0
  }

  test('a site answers at no connection that was made to another site’s certificate', async () => {
    const [one, other] = [
      writeCertificate(web, 'one', 'one.test'),
      writeCertificate(web, 'other', 'other.test'),
    ]
    web.writeHosts(
      'tls',
      [
        siteToml(web, 'one.test', `aliases = ["www.one.test"]\n${one}`),
        siteToml(web, 'other.test', other),
        siteToml(web, 'shared.test', one),
        siteToml(web, 'bare.test'),
      ].join('\n'),
    )
    writeFileSync(join(web.directory, 'state/index.html'), '<p>page</p>')
    expect((await web.control('POST', '/reload')).status).toBe(200)
    const cases: [string | undefined, string, number][] = [
      ['one.test', 'one.test', 200],
      ['one.test', 'ONE.test:443', 200],
      ['one.test', 'www.one.test', 200],
      ['www.one.test', 'one.test.', 200],
      ['one.test', 'shared.test', 200],
      ['one.test', 'other.test', 421],
      ['other.test', 'one.test', 421],
      // Neither of these was promised anything at the handshake.
      ['one.test', 'bare.test', 200],
      ['bare.test', 'one.test', 200],
      ['unknown.test', 'one.test', 200],
      ['one.test', 'unknown.test', 404],
      [undefined, 'one.test', 200],
    ]
    // Twice: the second time from the cache.
    for (const round of [1, 2])
      for (const [name, host, status] of cases)
        expect([round, name, host, await ask(name, host)]).toEqual([round, name, host, status])
    expect(await ask('one.test', 'other.test', 'Content-Length: 0\r\n')).toBe(421)
    expect(await ask('one.test', 'shared.test', 'Content-Length: 0\r\n')).toBe(405)
    // Plain connections were made to nobody in particular.
    expect((await get(web.port, 'other.test')).status).toBe(200)
  })

  test('a kept connection is judged at every request', async () => {
    const kept = new KeptConnection(web.port, 'one.test')
    expect((await kept.get()).status).toBe(200)
    kept.close()
    const hosts = ['one.test', 'other.test', 'one.test']
    const text = await exchange(
      web.sslPort,
      hosts.map((host) => `GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`).join(''),
      { servername: 'one.test' },
    )
    expect(splitResponses(text).map(({ status }) => status)).toEqual([200, 421, 200])
  })
})
