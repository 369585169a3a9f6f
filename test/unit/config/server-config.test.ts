import { stringify } from 'smol-toml'
import { describe, expect, test } from 'vitest'
import { parseServerConfig } from '#handlers/domain/config/server-config.ts'
import { virtualHost } from '#test/support/setups/virtual-hosts.ts'

const FILE = '/etc/berth/berth.toml'
const parse = (text: string, root = true): ReturnType<typeof parseServerConfig> =>
  parseServerConfig({ file: FILE, text, root })
/** `line key: message` of every problem. */
const problems = (text: string): string[] =>
  parse(text).problems.map(({ file, line, key, message }) => {
    expect(file).toBe(FILE)
    return `${line} ${key}: ${message}`
  })

describe('defaults', () => {
  test('read back as they are told: each section has the keys that one writes', () => {
    const told: unknown = JSON.parse(
      JSON.stringify(
        { ...parse('').config, file: undefined },
        (_, value: unknown) => value ?? undefined,
      ),
    )
    expect(problems(stringify(told))).toEqual([])
  })

  test('of the system-wide installation', () => {
    const { config, problems: none } = parse('')
    expect(none).toEqual([])
    expect(config.paths).toEqual({
      state_dir: '/var/lib/berth',
      home_base: '/home',
      run_dir: '/run/berth',
      log_dir: '/var/log/berth',
      install_dir: '/opt/berth',
      vhosts_dir: '/var/lib/berth/vhosts.d',
      secrets_dir: '/etc/berth/secrets',
    })
    expect(config.server.listen).toEqual(['0.0.0.0:80', '[::]:80'])
    expect(config.server.listen_ssl).toEqual(['0.0.0.0:443', '[::]:443'])
    expect(config.panel.listen).toEqual(['0.0.0.0:7070'])
    expect(config.api.listen).toEqual(['127.0.0.1:8090'])
    expect(config.include).toBe('/var/lib/berth/vhosts.d/*.toml')
    expect(config.cache).toMatchObject({
      storage: 'memory',
      memory_limit: '256M',
      default_ttl: 3600,
    })
  })

  test('of a normal user lie beside the file, on high ports', () => {
    const { config } = parseServerConfig({
      file: '/home/u/berth/var/berth.toml',
      text: '',
      root: false,
    })
    expect(config.paths).toMatchObject({
      state_dir: '/home/u/berth/var/state',
      home_base: '/home/u/berth/var/state/home',
      run_dir: '/home/u/berth/var/run',
      log_dir: '/home/u/berth/var/log',
      secrets_dir: '/home/u/berth/var/state/secrets',
    })
    expect(config.server.listen).toEqual(['0.0.0.0:8080', '[::]:8080'])
    expect(config.server.listen_ssl).toEqual(['0.0.0.0:8443', '[::]:8443'])
  })

  test('secrets of another instance lie with its state, not with the system-wide ones', () => {
    expect(parse('[paths]\nstate_dir = "/srv/b"').config.paths).toMatchObject({
      secrets_dir: '/srv/b/secrets',
      vhosts_dir: '/srv/b/vhosts.d',
    })
  })
})

describe('values', () => {
  test('relative paths start at the directory of the file, sizes become bytes, one address a list', () => {
    const { config, problems: none } = parse(`
include = "../sites/*.toml"
[paths]
state_dir = "../x/./y"
[server]
listen = "127.0.0.1:81"
max_body_size = "2M"
[cache]
storage = "disk"
disk_path = "pages"
`)
    expect(none).toEqual([])
    expect(config.include).toBe('/etc/sites/*.toml')
    expect(config.paths.state_dir).toBe('/etc/x/y')
    expect(config.server).toMatchObject({ listen: ['127.0.0.1:81'], max_body_size: 2 * 2 ** 20 })
    expect(config.cache.disk_path).toBe('/etc/berth/pages')
  })

  test('the panel: no TLS by default, a name in lower case, files beside the configuration', () => {
    expect(parse('').config.panel).toMatchObject({
      tls: 'off',
      tls_certificate: null,
      tls_certificate_key: null,
      acme_directory: 'https://acme-v02.api.letsencrypt.org/directory',
      acme_ca_file: null,
    })
    expect(parse('[panel]\ntls = "self-signed"').config.panel.tls).toBe('self-signed')
    const { config, problems: none } = parse(`
[panel]
tls = "Panel.Example.com"
tls_certificate = "panel.pem"
tls_certificate_key = "/x/panel.key"
acme_directory = "https://ca.example/dir"
acme_ca_file = "ca.pem"
`)
    expect(none).toEqual([])
    expect(config.panel).toMatchObject({
      tls: 'panel.example.com',
      tls_certificate: '/etc/berth/panel.pem',
      tls_certificate_key: '/x/panel.key',
      acme_directory: 'https://ca.example/dir',
      acme_ca_file: '/etc/berth/ca.pem',
    })
  })

  test.each([
    ['', 7071],
    ['[panel]\nlisten = "0.0.0.0:7071"', 7072],
    ['[link]\nlisten = "0.0.0.0:7071"', 7072],
    ['[panel]\nlisten = ["0.0.0.0:7072", "[::]:7071"]', 7073],
    ['[panel]\nlisten = "0.0.0.0:7071"\ndatabase_tool_port = 0', 0],
  ])('the web tool for databases has a port that nothing else of ours has: %s', (text, port) => {
    expect(parse(text).config.panel.database_tool_port).toBe(port)
  })

  test('a virtual host gets its defaults; names become lower case', () => {
    const { config } = parse('[[virtualhost]]\ndomain = "A.Example.com"\nroot = "/srv/a"\n')
    expect(config.virtualhost).toEqual([virtualHost('a.example.com', { root: '/srv/a' })])
  })
})

describe('every mistake names its line and key', () => {
  test.each([
    ['bogus = 1', '1 bogus: is not a known key.'],
    ['[cache]\nenabel = true', '2 cache.enabel: is not a known key. Did you mean "enable"?'],
    ['[cach]\nenable = true', '1 cach: is not a known key. Did you mean "cache"?'],
    ['[cache]\n\nmemory_limit = "lots"', '3 cache.memory_limit: is not a size.'],
    ['[cache]\nmemory_limit = 5', '2 cache.memory_limit: must be text in quotes, but is a number.'],
    ['[cache]\nenable = "yes"', '2 cache.enable: must be true or false, but is text.'],
    ['[cache]\ndefault_ttl = -1', '2 cache.default_ttl: must be at least 0, but is -1.'],
    [
      '[cache]\ndefault_ttl = 1.5',
      '2 cache.default_ttl: must be a whole number, but is a fraction.',
    ],
    [
      '[cache]\nstorage = "ram"',
      '2 cache.storage: must be one of "memory", "disk", "redis", but is "ram".',
    ],
    ['[cache]\nstorage = "disk"', '1 cache.disk_path: is missing.'],
    ['[cache]\nstorage = "redis"', '1 cache.redis_url: is missing.'],
    ['[cache]\nredis_url = "localhost"', '2 cache.redis_url: is not a Redis URL.'],
    ['cache = 3', '1 cache: must be a section, but is a number.'],
    [
      '[server]\nlisten = ["0.0.0.0:80",\n  "everywhere"]',
      '3 server.listen[1]: "everywhere" is not an address.',
    ],
    [
      '[server]\nlisten = 80',
      '2 server.listen: must be text in quotes or a list in [ ], but is a number.',
    ],
    ['[server]\nlisten = "1.2.3.4:99999"', '2 server.listen: "1.2.3.4:99999" is not an address.'],
    ['[server]\nmax_body_size = "big"', '2 server.max_body_size: is not a size.'],
    ['[server]\nworkers = 1000', '2 server.workers: must be at most 256, but is 1000.'],
    ['[api]\nlisten = "0.0.0.0:8090"', '2 api.listen: "0.0.0.0:8090" can be reached from outside'],
    [
      '[panel]\nlisten = "0.0.0.0:80"',
      '0 server.listen: "0.0.0.0:80" is already used by panel.listen.',
    ],
    [
      '[panel]\nlisten = "0.0.0.0:7072"\ndatabase_tool_port = 7072',
      '3 panel.database_tool_port: 7072 is a port that Berth itself listens at.',
    ],
    ['[panel]\nacme_email = "me"', '2 panel.acme_email: is not an e-mail address.'],
    [
      '[panel]\nacme_directory = "http://ca.example/dir"',
      '2 panel.acme_directory: is not an https',
    ],
    ['[panel]\nacme_directory = "ca.example"', '2 panel.acme_directory: is not an https URL.'],
    ['[panel]\nacme_ca_file = 5', '2 panel.acme_ca_file: must be text in quotes'],
    ['[panel]\ntls = "on"', '2 panel.tls: must be "off", "self-signed" or the name'],
    ['[panel]\ntls = "*.example.com"', '2 panel.tls: is not a host name.'],
    ['[panel]\ntls = true', '2 panel.tls: must be'],
    ['[panel]\ntls_certificate = "a.pem"', '1 panel.tls_certificate_key: is missing.'],
    ['[panel]\ntls_certificate_key = "a.key"', '1 panel.tls_certificate: is missing.'],
    ['[panel]\nacme_eab_key_id = "kid"', '1 panel.acme_eab_key_file: is missing.'],
    ['[panel]\nacme_eab_key_file = "a.key"', '1 panel.acme_eab_key_id: is missing.'],
    [
      '[panel]\nacme_fallback_eab_key_id = "kid"\nacme_fallback_eab_key_file = "a.key"',
      '1 panel.acme_fallback_directory: is missing.',
    ],
    ['[panel]\ntrusted_proxies = ["all"]', '2 panel.trusted_proxies[0]: is not an address block.'],
    ['[php]\ndefault_version = "eight"', '2 php.default_version: is not a PHP version.'],
    [
      '[ssl]\nprotocols = ["SSLv3"]',
      '2 ssl.protocols[0]: must be one of "TLSv1.2", "TLSv1.3", but is "SSLv3".',
    ],
    ['[paths]\nstate_dir = ""', '2 paths.state_dir: must not be empty.'],
    [`[paths]\nrun_dir = "/${'r'.repeat(80)}"`, '2 paths.run_dir: "/rrr'],
    ['include = "a/*/b.toml"', '1 include: may hold one "*", in its last part'],
    ['[virtualhost]\ndomain = "a.test"', '1 virtualhost: must be written as [[virtualhost]].'],
    ['[[virtualhost]]\nroot = "/"', '1 virtualhost[0].domain: is missing. Add it.'],
    [
      '[[virtualhost]]\ndomain = "-a.test"\nroot = "/"',
      '2 virtualhost[0].domain: is not a host name.',
    ],
    ['[[virtualhost]]\ndomain = "a b"\nroot = "/"', '2 virtualhost[0].domain: is not a host name.'],
    [
      '[[virtualhost]]\ndomain = "a.test"\nroot = "/a\\u0000b"',
      '3 virtualhost[0].root: must be one line.',
    ],
    [
      '[[virtualhost]]\ndomain = "a.test"\nroot = "/"\nssl_certificate = "/c.pem"',
      '1 virtualhost[0].ssl_certificate_key: is missing.',
    ],
    [
      '[[virtualhost]]\ndomain = "a.test"\nroot = "/"\nredirect_https = true',
      '4 virtualhost[0].redirect_https: needs a certificate.',
    ],
    [
      '[[virtualhost]]\ndomain = "a.test"\nroot = "/home/b/x"\nhome = "/home/bo"',
      '3 virtualhost[0].root: must lie inside home (/home/bo).',
    ],
    [
      '[[virtualhost]]\ndomain = "a.test"\nroot = "/"\n[virtualhost.cache]\nexclude = [\n  "/ok",\n  "no",\n]',
      '7 virtualhost[0].cache.exclude[1]: must begin with "/"',
    ],
    [
      '[[virtualhost]]\ndomain = "a.test"\nroot = "/"\n[[virtualhost]]\ndomain = "b.test"\nroot = "/"\nphp = { mode = "fast" }',
      '7 virtualhost[1].php.mode: must be one of "fpm", "cgi", "lsapi", but is "fast".',
    ],
    [
      '[[virtualhost]]\ndomain = "a.test"\nroot = "/"\n[virtualhost.headers]\nX-A = "a\\r\\nSet-Cookie: b"',
      '5 virtualhost[0].headers.X-A: must not hold control characters.',
    ],
    [
      '[[virtualhost]]\ndomain = "a.test"\nroot = "/"\n[virtualhost.error_pages]\n200 = "/x.html"',
      '5 virtualhost[0].error_pages.200: is not an error status',
    ],
  ])('%j', (text, expected) => {
    const found = problems(text)
    expect(found).toHaveLength(1)
    expect(found[0]?.startsWith(expected), found[0]).toBe(true)
  })

  test('all of them at once, also across sections', () => {
    expect(
      problems(
        'x = 1\n[cache]\nenable = 1\nstorage = "ram"\n[server]\nworkers = "two"\nlisten = []\n[panel]\nlisten = 0\n',
      ).length,
    ).toBe(5)
  })

  test('text that is no TOML', () => {
    expect(problems('[cache]\nenable = true\nenable = false\n')).toEqual([
      expect.stringMatching(/^3 : is not TOML: /),
    ])
  })

  test('after strings that look like keys, comments and multi-line values', () => {
    const text = `# [cache]
title-like = 1 # memory_limit = "x"
[panel]
acme_email = """
me@example.com"""
[ server ] # a comment
"listen" = [ # one
  "127.0.0.1:1", '127.0.0.1:2' , # "]"
]
[cache] # [server]
redis_url = 'redis://:a"#]@h'
"memory_limit" = "x"
`
    expect(problems(text)).toEqual([
      expect.stringMatching(/^2 title-like: /),
      expect.stringMatching(/^12 cache\.memory_limit: /),
    ])
  })
})
