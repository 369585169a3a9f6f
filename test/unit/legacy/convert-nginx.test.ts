import { parse } from 'smol-toml'
import { describe, expect, test } from 'vitest'
import { convertText, remarks } from './memory-files.ts'

const host = (text: string) => {
  const conversion = convertText('nginx', text)
  const hosts = conversion.hosts.flatMap(
    ({ toml }) => (parse(toml) as { virtualhost: Record<string, unknown>[] }).virtualhost,
  )
  return { conversion, hosts, first: hosts[0] ?? {}, remarks: remarks(conversion) }
}
const site = (inside: string): string =>
  `server {\nlisten 80;\nserver_name a.test;\nroot /srv/a;\n${inside}\n}`
const rulesOf = (inside: string): string => String(host(site(inside)).first['rules'])

describe('a server', () => {
  test('for http and https, with what http redirects', () => {
    const { hosts } =
      host(`server { listen 80; server_name a.test www.a.test; return 301 https://$host$request_uri; }
server { listen 443 ssl; server_name a.test www.a.test; root /srv/a; index index.php;
ssl_certificate /ssl/a.pem; ssl_certificate_key /ssl/a.key; }`)
    expect(hosts).toEqual([
      {
        domain: 'a.test',
        aliases: ['www.a.test'],
        root: '/srv/a',
        index: ['index.php'],
        ssl_certificate: '/ssl/a.pem',
        ssl_certificate_key: '/ssl/a.key',
        redirect_https: true,
        rules: 'FallbackResource disabled\n',
        php: { enable: false },
      },
    ])
  })

  test.each([
    ['location ^~ /.well-known/acme-challenge/ { default_type text/plain; }', []],
    ['location /.well-known/ { }', []],
    ['location = /.well-known/acme-challenge/ { return 404; }', []],
    [
      'location /.well-known/acme-challenge { root /var/www/certbot; }',
      [expect.stringContaining('changed 1 root /var/www/certbot: Berth gets certificates itself')],
    ],
  ])('for http that leads to https but for certificate authorities: %s', (location, told) => {
    const found =
      host(`server { listen 80; server_name a.test; root /srv/a; ${location} location / { return 301 https://$host$request_uri; } }
server { listen 443 ssl; server_name a.test; root /srv/a; ssl_certificate /ssl/a.pem; ssl_certificate_key /ssl/a.key; }`)
    expect(found.first).toMatchObject({ redirect_https: true })
    expect(found.remarks).toEqual(told)
  })

  test('with variables, but for those that nothing asks for', () => {
    const { first, remarks: told } =
      host(`map $host $kind { default a; ~^b "b $1"; } map $request_id $odd { default 1; }
${site('set $a b; set $c "$kind"; if ($c = x) { return 403; } set $d $odd;')}`)
    expect(first['rewrites']).toEqual([
      { pattern: '^', target: '-', flags: '"E=ngx_kind:a"' },
      {
        pattern: '^',
        target: '-',
        flags: '"E=ngx_kind:b %1"',
        conditions: ['%{SERVER_NAME} "^b"'],
      },
      { pattern: '^', target: '-', flags: '"E=ngx_c:%{ENV:ngx_kind}"' },
      { pattern: '^', target: '-', flags: 'F', conditions: ['%{ENV:ngx_c} "=x"'] },
    ])
    expect(told).toEqual([expect.stringMatching(/^lost 1 .*map \$request_id.*cannot be written/)])
  })

  test('with names by a wildcard, and the one for unknown names', () => {
    const { hosts, remarks } = host(`server { listen 80; server_name .a.test; root /srv/a; }
server { listen 80 default_server; server_name _; root /srv/a; }
server { listen 80; server_name *.com; root /srv/a; }`)
    expect(hosts).toMatchObject([
      { domain: 'a.test', aliases: ['*.a.test'] },
      { domain: 'default.test', default_host: true },
    ])
    expect(hosts[0]).not.toHaveProperty('default_host')
    expect(remarks).toEqual([
      expect.stringMatching(/^changed 1 .*one label more/),
      expect.stringMatching(/^changed 2 .*by default_host/),
      expect.stringMatching(/^changed 3 .*one label more/),
      expect.stringMatching(/^lost 3 .*belong to others/),
    ])
  })

  test.each([
    [
      'return 301 https://b.test$request_uri;',
      { pattern: '^', target: 'https://b.test%{REQUEST_URI}', flags: 'R=301,L' },
    ],
    [
      'rewrite ^/a/(.*)$ /b/$1?x=1 last;',
      { pattern: '^/a/(.*)$', target: '/b/$1?x=1', flags: 'L,QSA' },
    ],
    ['rewrite ^/a$ /b? permanent;', { pattern: '^/a$', target: '/b', flags: 'R=301,L,QSD' }],
    [
      'if ($host != "a.test") { return 301 https://a.test$request_uri; }',
      {
        pattern: '^',
        target: 'https://a.test%{REQUEST_URI}',
        flags: 'R=301,L',
        conditions: ['%{SERVER_NAME} "!=a.test"'],
      },
    ],
    [
      'if (!-e $request_filename) { rewrite ^(.*)$ /index.php?q=$1 last; }',
      {
        pattern: '^(.*)$',
        target: '/index.php?q=$1',
        flags: 'L,QSA',
        conditions: ['%{DOCUMENT_ROOT}%{REQUEST_URI} !-f', '%{DOCUMENT_ROOT}%{REQUEST_URI} !-d'],
      },
    ],
    [
      'if ($http_user_agent ~* (x|y)) { return 403; }',
      { pattern: '^', target: '-', flags: 'F', conditions: ['%{HTTP_USER_AGENT} "(x|y)" [NC]'] },
    ],
  ])('%s', (text, rule) => {
    const { first, remarks } = host(site(text))
    expect(first['rewrites']).toEqual([rule])
    expect(remarks).toEqual([])
  })

  test.each([
    ['if ($unknown) { return 403; }', /cannot ask for this/],
    ['return 200 "$request_id";', /holds a variable/],
    ['limit_req zone=a;', /counts no requests/],
    ['location ~ ^/x(.*) { alias /srv/y$1; }', /pattern of paths/],
    ['location ~ \\.php$ { fastcgi_pass unix:/a:$b; }', /leads to no PHP/],
    ['add_header X-A $request_id;', /holds a variable/],
    ['strange;', /no counterpart/],
  ])('%s is named', (text, reason) => {
    const { remarks } = host(site(text))
    const lost = remarks.filter((remark) => !remark.startsWith('changed 5 <location '))
    expect(lost).toEqual([expect.stringMatching(reason)])
    expect(lost[0]).toMatch(/^lost 5 /)
  })
})

describe('locations', () => {
  test('are a chain in the order in which nginx chooses', () => {
    const rules = rulesOf(`location / { expires 1h; }
location /images/ { expires 2h; }
location ~ \\.gif$ { expires 3h; }
location ^~ /static/ { expires 4h; }
location /static/big/ { expires 5h; }
location = /x { expires 6h; }`)
    const heads = rules.split('\n').filter((line) => line.startsWith('<') && !line.startsWith('</'))
    expect(heads).toEqual([
      '<If "%{REQUEST_URI} =~ m#^/x$#">',
      '<ElseIf "%{REQUEST_URI} =~ m#^/static/# && !(%{REQUEST_URI} =~ m#^/static/big/#)">',
      '<ElseIf "%{REQUEST_URI} =~ m#\\.gif$#">',
      '<ElseIf "%{REQUEST_URI} =~ m#^/static/big/#">',
      '<ElseIf "%{REQUEST_URI} =~ m#^/images/#">',
      '<Else>',
    ])
  })

  test('what is alike everywhere is said once', () => {
    expect(rulesOf('add_header X-A 1 always;\nlocation / { }\nlocation /b { return 403; }')).toBe(
      `FallbackResource disabled
Header always add X-A "1"
<If "%{REQUEST_URI} =~ m#^/b#">
  RewriteEngine On
  RewriteRule ^ - [F]
</If>
`,
    )
  })

  test('addresses that are mixed close the place', () => {
    const { first, remarks } = host(
      site('location /x { allow 10.0.0.1; deny 10.0.0.0/8; allow all; }'),
    )
    expect(first['rules']).toContain('Require all denied')
    expect(remarks).toEqual([expect.stringMatching(/so the place is closed/)])
  })

  test('an application with places of files and of passwords', () => {
    const { first } = host(
      site(`location / { proxy_pass http://app; proxy_set_header Host $host; proxy_set_header Upgrade $http_upgrade; }
location /static/ { expires 1d; }
location /admin { auth_basic Admin; auth_basic_user_file /etc/web/pw; proxy_pass http://app; proxy_set_header Host $host; }`) +
        '\nupstream app { server 127.0.0.1:3000; }',
    )
    expect(first['proxy']).toEqual({ upstream: 'http://127.0.0.1:3000', except: ['/static/'] })
    expect(first['rules']).toContain('AuthUserFile "/etc/web/pw"')
  })

  const keeps = 'proxy_set_header Host $host; proxy_set_header Upgrade $http_upgrade;'

  test('an application that has a path elsewhere maps its answers back', () => {
    const { first, remarks } = host(
      site(`location /api/ { proxy_pass http://127.0.0.1:3000/other/path/; ${keeps} }`),
    )
    expect(first['proxy']).toEqual({
      upstream: 'http://127.0.0.1:3000',
      paths: ['/api/'],
      replace_prefix: { from: '/api', to: '/other/path' },
    })
    expect(first['rules']).not.toContain('[P]')
    expect(remarks).toEqual([])
  })

  test('several such applications, chosen by rules, do so as well', () => {
    const { first } = host(
      site(`location /a/ { proxy_pass http://127.0.0.1:3000/; ${keeps} }
location /b { proxy_pass http://127.0.0.1:3000/two; ${keeps} }
location /c/ { proxy_pass http://127.0.0.1:3000/three; ${keeps} }`),
    )
    expect(Object.values(first['backends'] as object)).toEqual([
      { upstream: 'http://127.0.0.1:3000', replace_prefix: { from: '/a', to: '/' } },
      {
        upstream: 'http://127.0.0.1:3000',
        replace_prefix: { from: '/c/', to: '/three', plain: true },
      },
      { upstream: 'http://127.0.0.1:3000', replace_prefix: { from: '/b', to: '/two' } },
    ])
    const rules = String(first['rules'])
    expect(rules).toMatch(/RewriteRule \^ backend:\/\/app \[P\]/)
    // What goes on without a slash is another path of the same location for nginx.
    expect(rules).toContain('RewriteCond %{REQUEST_URI} "^/b(?:/.*)?$"')
    expect(rules).toContain('/two%1')
  })

  test('all servers of an upstream, with their weights', () => {
    const { first, remarks } = host(
      `${site('location / { proxy_pass http://app; proxy_set_header Host $host; proxy_set_header Upgrade $http_upgrade; }')}
upstream app {
  server 127.0.0.1:3000 weight=3 max_fails=2;
  server 127.0.0.1:3001;
  server unix:/run/app.sock weight=400;
  server 127.0.0.1:3002 down;
}`,
    )
    expect(first['proxy']).toEqual({
      upstreams: [
        { upstream: 'http://127.0.0.1:3000', weight: 3 },
        { upstream: 'http://127.0.0.1:3001', weight: 1 },
        { upstream: 'unix:/run/app.sock', weight: 100 },
      ],
    })
    expect(remarks).toEqual([])
  })

  test.each([
    ['ip_hash;', 'lost', /do not stay at one/],
    ['hash $remote_addr consistent;', 'lost', /do not stay at one/],
    ['least_conn;', 'unneeded', /fewest under way/],
    ['keepalive 16;', 'unneeded', /connections that are kept/],
    ['check interval=3000;', 'lost', /no counterpart/],
    ['server 127.0.0.1:3002 max_conns=7;', 'lost', /max_conns=7/],
    ['server 127.0.0.1:3002 max_fails=3 fail_timeout=9s;', 'unneeded', /left out for a while/],
  ])('what an upstream says besides is told: %s', (line, kind, reason) => {
    const servers = 'server 127.0.0.1:3000; server 127.0.0.1:3001;'
    const { conversion } = host(
      `${site('location / { proxy_pass http://app; }')}\nupstream app { ${servers} ${line} }`,
    )
    const told = { kind, reason: expect.stringMatching(reason) }
    expect(conversion.findings).toContainEqual(expect.objectContaining(told))
  })

  test.each([
    ['Host inside.example', 'lost', /not by another name/],
    ['Host $own_name', 'lost', /not by another name/],
    ['X-Forwarded-Proto https', 'changed', /trusted_proxies/],
    ['X-Forwarded-Ssl on', 'lost', /X-Forwarded-Proto/],
  ])('a header that applications get otherwise is told: %s', (line, kind, reason) => {
    const { conversion } = host(
      site(`location / { proxy_pass http://127.0.0.1:3000; proxy_set_header ${line}; }`),
    )
    const told = { kind, reason: expect.stringMatching(reason) }
    expect(conversion.findings).toContainEqual(expect.objectContaining(told))
  })

  test('headers that they get anyway are not, and others are carried over', () => {
    const { first, remarks } = host(
      site(`location / {
  proxy_pass http://127.0.0.1:3000;
  proxy_set_header Host $proxy_host;
  proxy_set_header X-Real-IP $remote_addr;
  proxy_set_header X-Forwarded-Proto $scheme;
  proxy_set_header X-Forwarded-Server "";
  proxy_set_header Connection "";
  proxy_set_header Proxy "";
  proxy_set_header X-NginX-Proxy true;
  proxy_set_header X-Scheme $scheme;
}`),
    )
    expect(remarks).toEqual([])
    expect(first['proxy']).toMatchObject({ preserve_host: false })
    const rules = String(first['rules'])
    expect(rules).toContain('RequestHeader set X-NginX-Proxy "true"')
    expect(rules).toContain('RequestHeader set X-Scheme "expr=%{REQUEST_SCHEME}"')
    expect(rules.match(/RequestHeader/g)).toHaveLength(2)
  })

  test('servers for need are told of, and asked where there are no others', () => {
    const of = (servers: string) =>
      host(
        `${site('location / { proxy_pass http://app; proxy_set_header Host $host; proxy_set_header Upgrade $http_upgrade; }')}\nupstream app { ${servers} }`,
      )
    const one = of('server 127.0.0.1:3001 backup; server 127.0.0.1:3000;')
    expect(one.first['proxy']).toEqual({ upstream: 'http://127.0.0.1:3000' })
    expect(one.remarks).toEqual([expect.stringContaining('asks 1 of its 2 servers')])
    const all = of('server 127.0.0.1:3001 backup; server 127.0.0.1:3000 down;')
    expect(all.first['proxy']).toEqual({ upstream: 'http://127.0.0.1:3001' })
  })

  test('PHP does not run where nginx would not run it', () => {
    const rules = rulesOf(
      'location ^~ /up/ { }\nlocation ~ \\.php$ { fastcgi_pass unix:/run/p.sock; }',
    )
    expect(rules).toContain(
      '<If "%{REQUEST_URI} =~ m#^/up/#">\n  <FilesMatch "\\.php$">\n    Require all denied\n  </FilesMatch>\n</If>',
    )
  })
})

describe('directives that are judged by their value', () => {
  const told = (line: string, where = 'server'): string[] => {
    const inside = where === 'server' ? line : ''
    const block = where === 'server' ? '' : `location ${where} { ${line} }`
    const text = `http { server { listen 80; server_name a.test; root /srv/a; ${inside} ${block} } }`
    return convertText('nginx', text).findings.map(({ kind }) => kind)
  }
  const PASS = 'proxy_pass http://127.0.0.1:3000;'
  test.each([
    ['limit_req_status 503;', ['changed']],
    ['limit_req_status 429;', ['unneeded']],
    ['disable_symlinks on;', ['lost']],
    ['disable_symlinks if_not_owner;', ['unneeded']],
    ['merge_slashes off;', ['changed']],
    [`add_header Alt-Svc 'h3=":443"; ma=86400';`, ['changed']],
    ['underscores_in_headers on;', ['lost']],
    ['fastcgi_intercept_errors on;', ['changed']],
    ['fastcgi_no_cache $cookie_shop;', ['changed']],
    ['etag on;', ['unneeded']],
    ['etag off;', []],
    ['default_type application/json;', []],
  ])('%s', (line, kinds) => {
    expect(told(line)).toEqual(kinds)
  })

  test.each([
    ['proxy_redirect off;', ['unneeded']],
    ['proxy_redirect default;', ['unneeded']],
    ['proxy_redirect http://127.0.0.1:3000/ /;', ['unneeded']],
    ['proxy_redirect http://127.0.0.1:3000/ /elsewhere/;', ['lost']],
    ['proxy_redirect http:// https://;', []],
    ['proxy_redirect http://$upstream_addr/ /;', ['lost']],
    ['proxy_cookie_path / "/; Secure";', []],
    ['proxy_cookie_path ~^/(.*) /$1;', ['lost']],
  ])('%s', (line, kinds) => {
    expect(told(`${PASS} ${line}`, '/')).toEqual(kinds)
  })

  test.each([
    ['HTTPS on', 'changed'],
    ['HTTPS $https', 'unneeded'],
    ['REMOTE_ADDR $http_x_real_ip', 'changed'],
    ['SCRIPT_FILENAME $document_root$fastcgi_script_name', 'unneeded'],
    ['SCRIPT_FILENAME $document_root/app.php', 'lost'],
  ])('fastcgi_param %s', (param, kind) => {
    expect(told(`fastcgi_pass unix:/a; fastcgi_param ${param};`, '~ \\.php$')).toEqual([kind])
  })
})
