import { parse } from 'smol-toml'
import { describe, expect, test } from 'vitest'
import { convertText, remarks } from './memory-files.ts'

const site = (inside: string, head = ''): string =>
  `${head}\n<VirtualHost *:80>\nServerName a.test\nDocumentRoot /srv/a\n${inside}\n</VirtualHost>`
const convert = (text: string) => {
  const conversion = convertText('apache', text)
  const { virtualhost } = parse(conversion.hosts.map(({ toml }) => toml).join('\n')) as {
    virtualhost: { rules: string; htaccess?: boolean }[]
  }
  const [first] = virtualhost
  const rules = (first?.rules ?? '').replace('FallbackResource disabled\n', '')
  return { rules, host: first, remarks: remarks(conversion) }
}

describe('places that are named by signs', () => {
  test.each([
    ['<Location /admin*>', 'REQUEST_URI', '^/admin[^/]*(?:/|$)'],
    ['<Location /*/private/>', 'REQUEST_URI', '^/[^/]*/private(?:/|$)'],
    ['<Location /v?>', 'REQUEST_URI', '^/v[^/](?:/|$)'],
    ['<Directory /srv/a/[a-c]x>', 'REQUEST_FILENAME', '^/srv/a/[a-c]x(?:/|$)'],
    ['<Directory /srv/a/[!#x]>', 'REQUEST_FILENAME', '^/srv/a/[^\\x23x](?:/|$)'],
  ])('%s stays closed', (head, subject, pattern) => {
    const end = `</${head.slice(1).split(' ')[0] ?? ''}>`
    const { rules, remarks } = convert(site(`${head}\nRequire all denied\n${end}`))
    expect(rules).toBe(`<If "%{${subject}} =~ m#${pattern}#">\n  Require all denied\n</If>\n`)
    expect(remarks).toEqual([])
  })
})

describe('rules of several directories', () => {
  const at = (path: string, inside: string): string =>
    `<Directory ${path}>\n${inside}\n</Directory>\n`
  test.each([
    [
      'what is about logins does not replace who may see it',
      at('/srv', 'Require ip 10.0.0.1') + at('/srv/a', 'AuthName x'),
      'Require ip 10.0.0.1\nAuthName x\n',
    ],
    [
      'what is about logins adds up',
      at('/srv', 'AuthType Basic\nAuthUserFile /srv/pw') + at('/srv/a', 'Require valid-user'),
      'AuthType Basic\nAuthUserFile /srv/pw\nRequire valid-user\n',
    ],
    ['Order alone closes', at('/srv/a', 'Order allow,deny'), 'Order allow,deny\n'],
    ['Order alone opens', at('/srv/a', 'Order deny,allow'), ''],
    [
      'the old ones and the new are both asked',
      at('/srv', 'Deny from all') + at('/srv/a', 'Require all granted'),
      'Deny from all\nRequire all granted\n',
    ],
    [
      'both open',
      at('/srv', 'Order allow,deny\nAllow from all') + at('/srv/a', 'Require all granted'),
      '',
    ],
    [
      'the last of a kind counts',
      at('/', 'Require all denied') + at('/srv/a', 'Require all granted'),
      '',
    ],
  ])('%s', (_, text, rules) => {
    expect(convert(site('', text)).rules).toBe(rules)
  })

  test('a part that hears .htaccess makes the site hear it', () => {
    const { host, remarks } = convert(site(at('/srv/a/in', 'AllowOverride AuthConfig')))
    expect(host?.htaccess).toBe(true)
    expect(remarks).toEqual([
      'changed 6 AllowOverride AuthConfig: Files named .htaccess count in all of the site.',
    ])
  })
})

describe('what Berth cannot ask', () => {
  const CLOSED = '<If "true">\n  Require all denied\n</If>\n'
  test.each([
    ['<Directory /srv/a>\nAuthMerging And\nRequire all granted\n</Directory>', CLOSED],
    [
      'SSLRequire %{SSL_CIPHER} eq "x"\n<Directory /srv/a>\nRequire ip 10.0.0.1\n</Directory>',
      `${CLOSED}Require ip 10.0.0.1\n`,
    ],
    ['SSLVerifyClient require', ''],
    ['SSLEngine on\nSSLVerifyClient require', CLOSED],
    ['SSLRequireSSL', `<If "%{HTTPS} != 'on'">\n  Require all denied\n</If>\n`],
    [
      '<Directory /srv/a/up>\nphp_admin_flag engine off\n</Directory>',
      '<If "%{REQUEST_URI} =~ m#^/up(?:/|$)#">\n  <FilesMatch "\\.(?:php\\d*|phtml|phar)$">\n    Require all denied\n  </FilesMatch>\n</If>\n',
    ],
  ])('%j closes', (inside, rules) => {
    expect(convert(site(inside)).rules).toBe(rules)
  })

  test.each([
    ['AccessFileName .acl', /^lost 5 AccessFileName .acl: Berth reads .htaccess alone/],
    ['Use Protect', /^lost 5 Use Protect: .* may hold rules that keep visitors out/],
  ])('%s is named', (inside, remark) => {
    expect(convert(site(inside)).remarks).toEqual([expect.stringMatching(remark)])
  })
})

describe('paths that led away from the root', () => {
  test.each([
    ['Alias /x /elsewhere', '^/x(?:/|$)'],
    ['AliasMatch ^/x(\\d) /elsewhere', '^/x(\\d)'],
    ['ScriptAlias /cgi-bin/ /usr/lib/cgi-bin/', '^/cgi-bin(?:/|$)'],
    ['WSGIScriptAlias / /srv/a/wsgi.py', '^/'],
    ['ProxyPass /api ajp://127.0.0.1:3/', '^/api(?:/|$)'],
    ['ProxyPassMatch ^/a(.)$ ajp://127.0.0.1:3/$1', '^/a(.)$'],
    ['<Location /api>\nProxyPass ajp://127.0.0.1:3/\n</Location>', '^/api(?:/|$)'],
    ['RewriteEngine On\nRewriteRule ^/y ajp://127.0.0.1:3/ [P]', '^/y'],
  ])('%s shows no files of the root', (inside, pattern) => {
    const { rules, remarks } = convert(site(inside))
    expect(rules).toBe(`<If "%{REQUEST_URI} =~ m#${pattern}#">\n  Require all denied\n</If>\n`)
    expect(remarks.at(-1)).toMatch(/^changed .* they are closed\.$/)
  })

  test('applications that are carried over stay open beside a lost one', () => {
    const text = 'ProxyPass /app http://127.0.0.1:3/app\nProxyPass / ajp://127.0.0.1:4/'
    expect(convert(site(text)).rules).toContain('m#^/# && !(%{REQUEST_URI} =~ m#^(?:/app)(?:/|$)#)')
  })
})

describe('<Proxy>', () => {
  const section = (head: string): string => `<${head}>\nRequire ip 10.0.0.1\n</Proxy>`
  test.each([
    ['ProxyPass / http://127.0.0.1:3/', 'Proxy *', 'true'],
    ['ProxyPass / http://127.0.0.1:3/', 'Proxy http://127.0.0.1:3/*', 'true'],
    ['ProxyPass /api http://127.0.0.1:3/api', 'Proxy "*"', '%{REQUEST_URI} =~ m#^(?:/api)(?:/|$)#'],
  ])('%s, %s', (pass, head, expression) => {
    expect(convert(site(`${pass}\n${section(head)}`)).rules).toBe(
      `<If "${expression}">\n  Require ip 10.0.0.1\n</If>\n`,
    )
  })

  test('of another address it says nothing', () => {
    const text = `ProxyPass / http://127.0.0.1:3/\n${section('Proxy http://other.test/*')}`
    expect(convert(site(text)).rules).toBe('')
  })
})
