import { parse } from 'smol-toml'
import { describe, expect, test } from 'vitest'
import { convertText, remarks } from './memory-files.ts'

const host = (text: string, more: Record<string, string> = {}) => {
  const conversion = convertText('apache', text, more)
  const hosts = conversion.hosts.flatMap(
    ({ toml }) => (parse(toml) as { virtualhost: Record<string, unknown>[] }).virtualhost,
  )
  return { conversion, hosts, first: hosts[0] ?? {}, remarks: remarks(conversion) }
}
const site = (inside: string, head = ''): string =>
  `${head}\n<VirtualHost *:80>\nServerName a.test\nDocumentRoot /srv/a\n${inside}\n</VirtualHost>`
const tls = 'SSLEngine on\nSSLCertificateFile /ssl/a.pem\nSSLCertificateKeyFile /ssl/a.key\n'

describe('pairs of http and https', () => {
  test.each([
    ['a rule', 'RewriteEngine On\nRewriteRule ^ https://%{HTTP_HOST}%{REQUEST_URI} [R=301,L]'],
    [
      'with conditions',
      'RewriteEngine On\nRewriteCond %{HTTPS} !=on\nRewriteCond %{SERVER_NAME} =a.test\nRewriteRule (.*) https://%{SERVER_NAME}$1 [END,NE,R=permanent]',
    ],
    ['Redirect', 'Redirect permanent / https://a.test/'],
  ])('%s that leads to https becomes redirect_https', (_, redirect) => {
    const { hosts, remarks } = host(
      `${site(redirect)}\n<VirtualHost *:443>\nServerName a.test\nDocumentRoot /srv/a\n${tls}</VirtualHost>`,
    )
    expect(hosts).toEqual([
      {
        domain: 'a.test',
        root: '/srv/a',
        index: ['index.html'],
        ssl_certificate: '/ssl/a.pem',
        ssl_certificate_key: '/ssl/a.key',
        redirect_https: true,
        rules: 'FallbackResource disabled\n',
        php: { enable: false },
      },
    ])
    expect(remarks).toEqual([])
  })

  test('a redirect to another name stays one, over http alone', () => {
    const { first } = host(
      `${site('ServerAlias www.a.test\nRedirect permanent / https://www.a.test/')}\n<VirtualHost *:443>\nServerName a.test\nServerAlias www.a.test\nDocumentRoot /srv/a\n${tls}</VirtualHost>`,
    )
    expect(first['redirect_https']).toBeUndefined()
    expect(first['rewrites']).toEqual([
      {
        pattern: '^/(.*)$',
        target: 'https://www.a.test/$1',
        flags: 'R=301,L',
        conditions: ['%{HTTPS} =off'],
      },
    ])
  })

  test('one block for both addresses, and differing ones', () => {
    const { hosts, remarks } = host(
      `${site('Header set X-A 1')}\n<VirtualHost *:443>\nServerName a.test\nDocumentRoot /srv/b\n${tls}</VirtualHost>`,
    )
    expect(hosts).toMatchObject([{ domain: 'a.test', root: '/srv/b' }])
    expect(remarks).toEqual([
      expect.stringMatching(/^lost 2 <VirtualHost \*:80>: It differs .*root, rules/),
    ])
  })

  test('a certificate that is not there is not named', () => {
    const text = site(tls).replace('*:80', '*:443').replaceAll('/ssl/', '/gone/')
    const { first, remarks } = host(text)
    expect(first).not.toHaveProperty('ssl_certificate')
    expect(first).not.toHaveProperty('redirect_https')
    expect(remarks).toContainEqual(expect.stringContaining('"/gone/a.pem" does not exist'))
  })
})

describe('names', () => {
  test('of two hosts the first has it; patterns and nonsense are named', () => {
    const { hosts, remarks } = host(
      `${site('ServerAlias *.a.test a.* b.test under_score.test')}\n<VirtualHost *:80>\nServerName B.test\nDocumentRoot /srv/b\n</VirtualHost>`,
    )
    expect(hosts).toMatchObject([{ domain: 'a.test', aliases: ['*.a.test', 'b.test'] }])
    expect(remarks).toEqual([
      expect.stringMatching(/changed 5 ServerAlias.*one label more/),
      expect.stringMatching(/lost 5 ServerAlias.*at the beginning/),
      expect.stringMatching(/lost 5 ServerAlias.*not a host name/),
      expect.stringMatching(/lost 8 ServerName.*b\.test belongs to the host at .*main\.conf:2/),
    ])
  })

  test('a site whose directory is gone is left out', () => {
    const { hosts, remarks } = host(site('').replace('/srv/a', '/gone'))
    expect(hosts).toEqual([])
    expect(remarks).toEqual([expect.stringContaining('"/gone" does not exist')])
  })
})

describe('directories', () => {
  test('the nearest word on access counts; the common one is left out', () => {
    const open =
      '<Directory />\nRequire all denied\n</Directory>\n<Directory /srv/>\nRequire all granted\n</Directory>\n'
    expect(host(site('', open)).first['rules']).toBe('FallbackResource disabled\n')
    const closed = '<Directory />\nRequire all denied\n</Directory>\n'
    expect(host(site('', closed)).first['rules']).toContain('Require all denied')
    const office = `${open}<Directory /srv/a>\nRequire ip 10.0.0.0/8\n</Directory>\n`
    expect(host(site('', office)).first['rules']).toBe(
      'FallbackResource disabled\nRequire ip 10.0.0.0/8\n',
    )
  })

  test('.htaccess counts where AllowOverride says so', () => {
    const all = '<Directory /srv/a>\nAllowOverride All\n</Directory>'
    expect(host(site(all)).first['htaccess']).toBe(true)
    const none = `${all}\n<Directory /srv/a>\nAllowOverride None\n</Directory>`
    expect(host(site(none)).first['htaccess']).toBeUndefined()
  })

  test('below the root, patterns and locations become conditions', () => {
    const { first } = host(
      site(`<Directory /srv/a/in>
Require ip 10.0.0.1
</Directory>
<DirectoryMatch "/private$">
Require all denied
</DirectoryMatch>
<LocationMatch "^/(a|b)#x">
Order allow,deny
Deny from all
</LocationMatch>
<Location /x/>
Header set X-Y "a b"
</Location>`),
    )
    expect(first['rules']).toBe(
      `FallbackResource disabled
<If "%{REQUEST_URI} =~ m#^/in(?:/|$)#">
  Require ip 10.0.0.1
</If>
<If "%{REQUEST_FILENAME} =~ m#/private(?:/|$)#">
  Require all denied
</If>
<If "%{REQUEST_URI} =~ m|^/(a|b)#x|">
  Order allow,deny
  Deny from all
</If>
<If "%{REQUEST_URI} =~ m#^/x(?:/|$)#">
  Header set X-Y "a b"
</If>
`.replace('m|^/(a|b)#x|', 'm!^/(a|b)#x!'),
    )
  })

  test('what guards a place and is not understood closes it', () => {
    const { first, remarks } = host(
      site('<Location /x>\nRequire ldap-group cn=x\nHeader set A b\n</Location>'),
    )
    expect(first['rules']).toContain(
      '<If "%{REQUEST_URI} =~ m#^/x(?:/|$)#">\n  Require all denied\n</If>',
    )
    expect(remarks).toEqual([
      expect.stringMatching(/^lost 6 Require ldap-group: It is not understood/),
    ])
  })
})

describe('PHP and applications', () => {
  test.each([
    ['<FilesMatch \\.php$>\nSetHandler "proxy:unix:/run/p.sock|fcgi://localhost/"\n</FilesMatch>'],
    ['ProxyPassMatch ^/(.*\\.php(/.*)?)$ unix:/run/p.sock|fcgi://localhost/srv/a'],
    [
      '<Directory /srv/a>\n<FilesMatch \\.php$>\nSetHandler proxy:unix:/run/p.sock|fcgi://x\n</FilesMatch>\n</Directory>',
    ],
  ])('%s', (text) => {
    expect(host(site(text)).first['php']).toEqual({ socket: '/run/p.sock' })
  })

  test('PHP inside Apache is missed', () => {
    const { first, remarks } = host(site('', 'LoadModule php_module modules/libphp8.so'))
    expect(first['php']).toEqual({ enable: false })
    expect(remarks).toEqual([expect.stringContaining('PHP ran inside Apache')])
  })

  test('ProxyPass', () => {
    const { first, remarks } = host(
      site(`ProxyPreserveHost On
ProxyPass /.well-known/acme-challenge !
ProxyPass /api/files !
ProxyPass /api http://127.0.0.1:3000/api timeout=20
ProxyPassReverse /api http://127.0.0.1:3000/api
ProxyPass /other http://127.0.0.1:4000/other
ProxyPass /cut http://127.0.0.1:3000/
<Location /in>
ProxyPass http://127.0.0.1:3000/in
</Location>`),
    )
    expect(first['proxy']).toEqual({
      upstream: 'http://127.0.0.1:3000',
      paths: ['/api', '/in'],
      except: ['/api/files'],
      timeout_secs: 20,
    })
    expect(first['backends']).toEqual({
      app: { upstream: 'http://127.0.0.1:4000', paths: ['/other'], except: ['/api/files'] },
      'app-2': {
        upstream: 'http://127.0.0.1:3000',
        paths: ['/cut'],
        except: ['/api/files'],
        replace_prefix: { from: '/cut', to: '/' },
      },
    })
    expect(first['rewrites']).toBeUndefined()
    expect(remarks).toEqual([])
  })

  test('ProxyPass for everything behind a path that is changed', () => {
    const { first, remarks } = host(
      site(
        'ProxyPreserveHost On\nProxyPass /cut http://127.0.0.1:3000/v1\nProxyPass / http://127.0.0.1:3000/',
      ),
    )
    expect(first['proxy']).toEqual({ upstream: 'http://127.0.0.1:3000' })
    expect(first['backends']).toEqual({
      app: {
        upstream: 'http://127.0.0.1:3000',
        paths: ['/cut'],
        replace_prefix: { from: '/cut', to: '/v1' },
      },
    })
    expect(first['rewrites']).toBeUndefined()
    expect(remarks).toEqual([])
  })

  test('ProxyPass where the target alone lacks a slash puts what follows directly behind it', () => {
    const { first, remarks } = host(
      site('ProxyPreserveHost On\nProxyPass /cut/ http://127.0.0.1:3000/v1'),
    )
    expect(remarks).toEqual([expect.stringContaining('its redirects lead there')])
    expect(first['rewrites']).toEqual([
      { pattern: '^/cut/(.*)$', target: 'backend://app/v1$1', flags: 'P' },
    ])
  })

  test.each([
    ['set X-Forwarded-Proto "https"', /trusted_proxies/],
    ['set X-Forwarded-SSL on', /X-Forwarded-Proto/],
    ['set Host "inside.example"', /not by another name/],
  ])('a header that applications get otherwise is told: %s', (line, reason) => {
    const passed = 'ProxyPreserveHost On\nProxyPass / http://127.0.0.1:3000/'
    const { remarks } = host(site(`${passed}\nRequestHeader ${line}`))
    expect(remarks).toEqual([expect.stringMatching(reason)])
    expect(host(site(`${passed}\nRequestHeader unset X-Forwarded-Proto`)).remarks).toEqual([])
    const own = 'RequestHeader set X-Forwarded-Proto expr=%{REQUEST_SCHEME}'
    expect(host(site(`${passed}\n${own}`)).remarks).toEqual([])
  })

  test('all members of a balancer, with their shares', () => {
    const { first, remarks } = host(
      site(
        `<Proxy balancer://main>
BalancerMember http://127.0.0.1:3000 loadfactor=2
BalancerMember ws://127.0.0.1:3001/
BalancerMember unix:/run/app.sock|http://app
BalancerMember http://127.0.0.1:3002 status=+H
BalancerMember http://127.0.0.1:3003 status=D
</Proxy>
ProxyPreserveHost On
ProxyPass / balancer://main/`,
      ),
    )
    expect(first['proxy']).toEqual({
      upstreams: [
        { upstream: 'http://127.0.0.1:3000', weight: 2 },
        { upstream: 'http://127.0.0.1:3001', weight: 1 },
        { upstream: 'unix:/run/app.sock', weight: 1 },
      ],
    })
    expect(remarks).toEqual([expect.stringContaining('asks 3 of its 4 servers')])
  })

  test.each([
    ['ProxySet stickysession=ROUTEID', ''],
    ['ProxySet lbmethod=heartbeat', ''],
    ['BalancerMember http://127.0.0.1:3002 route=c', ''],
    ['', ' stickysession=JSESSIONID|jsessionid'],
  ])('visitors who stayed at one server are told of: %s%s', (inside, behind) => {
    const { remarks } = host(
      site(`<Proxy balancer://main>
BalancerMember http://127.0.0.1:3000
BalancerMember http://127.0.0.1:3001
${inside}
</Proxy>
ProxyPreserveHost On
ProxyPass / balancer://main/${behind}`),
    )
    expect(remarks).toEqual([expect.stringMatching(/do not stay at one/)])
  })

  test.each([
    ['ProxyPass / http://127.0.0.1:4000/'],
    ['ProxyPass /api http://127.0.0.1:4000/api'],
    ['ProxyPass /cut http://127.0.0.1:4000/'],
    ['ProxyPassMatch ^/(.*\\.do)$ http://127.0.0.1:4000/$1'],
  ])('of several the first counts: %s', (later) => {
    const { first, conversion } = host(
      site(`ProxyPreserveHost On\nProxyPass / http://127.0.0.1:3000/\n${later}`),
    )
    expect(first['proxy']).toEqual({ upstream: 'http://127.0.0.1:3000' })
    expect(first['backends']).toBeUndefined()
    expect(first['rewrites']).toBeUndefined()
    expect(conversion.findings.map(({ kind }) => kind)).toEqual(['unneeded'])
  })

  test('a rule that passes on and is not understood is told with the reason', () => {
    const { first, remarks } = host(
      site('RewriteEngine on\nRewriteRule ^/(a{9999})$ http://127.0.0.1:3000/$1 [P,NOPE]'),
    )
    expect(first['rewrites']).toBeUndefined()
    expect(remarks).toEqual([expect.stringMatching(/passed on to: .*[a-z]{4}/)])
    expect(remarks[0]).not.toContain('[object')
  })
})

describe('whatever texts hold', () => {
  test.each(["a'''b", 'a"b\\c', 'x\u0007y', 'ü\u202e', '%{x}'])(
    '%j comes through or is named',
    (value) => {
      const escaped = value.replaceAll('\\', '\\\\').replaceAll('"', '\\"')
      const { first, remarks } = host(site(`Header set X-A "${escaped}"`))
      const rules = String(first['rules'])
      expect(rules.includes(`"${escaped}"`) || remarks.length > 0).toBe(true)
    },
  )

  test('every directive that is not carried over is named', () => {
    const { conversion } = host(
      site('Strange a b\nAlias /x /y\nErrorLog /e\n<Weird>\nA 1\n</Weird>'),
    )
    expect(conversion.findings.map(({ line, kind }) => [line, kind])).toEqual([
      [5, 'lost'],
      [6, 'lost'],
      [6, 'changed'],
      [7, 'unneeded'],
      [8, 'lost'],
    ])
  })
})

describe('directives that are judged by their value', () => {
  test.each([
    ['SetOutputFilter DEFLATE', 'unneeded'],
    ['SetOutputFilter INCLUDES;DEFLATE', 'lost'],
    ['AddOutputFilterByType SUBSTITUTE text/html', 'lost'],
    ['PassEnv SECRET', 'lost'],
    [`Header always set Alt-Svc "h3=':443'"`, 'changed'],
    ['Header add Alt-Svc h3', 'changed'],
    ['Options -FollowSymLinks', 'changed'],
    ['Options None', 'changed'],
    ['Options -FollowSymLinks +SymLinksIfOwnerMatch', 'unneeded'],
    ['Options FollowSymLinks', 'unneeded'],
    ['ProxyRequests Off', 'unneeded'],
    ['ProxyRequests On', 'lost'],
    ['AuthBasicProvider ldap', 'lost'],
    ['SSLOptions +StdEnvVars', 'unneeded'],
    ['SSLOptions +FakeBasicAuth', 'lost'],
    ['ProxyPassReverse / http://127.0.0.1:3000/', 'unneeded'],
    ['ProxyPassReverse http://app.internal/', 'lost'],
  ])('%s', (line, kind) => {
    const { findings } = convertText(
      'apache',
      `<VirtualHost *:80>\nServerName a.test\nDocumentRoot /srv/a\nProxyPass / http://127.0.0.1:3000/\n${line}\n</VirtualHost>`,
    )
    expect(findings.map((one) => one.kind)).toEqual([kind])
  })
})
