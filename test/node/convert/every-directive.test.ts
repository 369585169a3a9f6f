import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { CLEAN_ENV } from '#adapters/node/process/clean-env.ts'
import { MODULES_DIRECTORY } from '#test/support/servers/private-apache.ts'
import { convertText } from '#test/unit/legacy/memory-files.ts'

/** Names of directives that Debian's nginx knows, as its highlighting for vim lists them. */
const nginxNames = (): string[] => {
  const text = readFileSync('/usr/share/vim/addons/syntax/nginx.vim', 'utf8')
  const own = /^syn keyword ngxDirective(?!ThirdParty)\w* +(?:contained +)?(\w+)/gm
  return [...new Set([...text.matchAll(own)].map(([, name = '']) => name))]
}

/** Modules of which another one does the same, or that are of no package of Apache's. */
const NOT_TOGETHER =
  /^(?:mpm_prefork|mpm_worker|cgid|php|wsgi|security|perl|fcgid|passenger|python)/

/** Directives of Apache with all of its modules, as it lists them itself; sections begin with `<`. */
const apacheNames = (): string[] => {
  const directory = mkdtempSync(join(tmpdir(), 'berth-directives-'))
  try {
    mkdirSync(join(directory, 'logs'))
    const modules = readdirSync(MODULES_DIRECTORY)
      .map((file) => /^mod_(\w+)\.so$/.exec(file)?.[1] ?? '')
      .filter((name) => name !== '' && !NOT_TOGETHER.test(name))
    const lines = modules.map(
      (name) => `LoadModule ${name}_module ${MODULES_DIRECTORY}/mod_${name}.so`,
    )
    const main = join(directory, 'main.conf')
    writeFileSync(main, `ServerRoot ${directory}\nServerName x\n${lines.join('\n')}\n`)
    const text = execFileSync('/usr/sbin/apache2', ['-f', main, '-L'], {
      ...{ encoding: 'utf8', env: CLEAN_ENV },
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    return [...new Set([...text.matchAll(/^(<?[A-Z]\w+)/gm)].map(([, name = '']) => name))]
  } finally {
    rmSync(directory, { recursive: true })
  }
}

/** Whether a configuration comes to the same with a line as without it, and nothing is said of the line. */
const isSilent = (kind: 'apache' | 'nginx', around: string, line: string): boolean => {
  const told = (text: string): unknown[] => {
    const { server, hosts, findings } = convertText(kind, text)
    return [server, hosts, findings.length]
  }
  return (
    JSON.stringify(told(around.replace('HERE', ''))) ===
    JSON.stringify(told(around.replace('HERE', () => line)))
  )
}

const SERVER = 'listen 80; server_name a.test; root /srv/a;'
const NGINX = {
  http: `http {\nHERE\nserver { ${SERVER} } }`,
  server: `http { server { ${SERVER}\nHERE\n} }`,
  location: `http { server { ${SERVER} location /x/ {\nHERE\n} } }`,
  proxy: `http { server { ${SERVER} location / { proxy_pass https://127.0.0.1:3;\nHERE\n} } }`,
  php: `http { server { ${SERVER} location ~ \\.php$ { fastcgi_pass unix:/a;\nHERE\n} } }`,
  tls: `http { server { listen 443 ssl; server_name a.test; root /srv/a;\nHERE\n} }`,
  limited: `http { limit_req_zone $remote_addr zone=a:1m rate=1r/s; server { ${SERVER}\nHERE\n} }`,
} as const

/** Directives that have a place in the result: where they mean something, and a line that does. */
const NGINX_CARRIED: Readonly<Record<string, readonly [keyof typeof NGINX, string]>> = {
  http: ['server', 'deny all;'],
  server: ['http', 'server { listen 81; server_name b.test; root /srv/b; }'],
  location: ['server', 'location /y { deny all; }'],
  upstream: [
    'http',
    'upstream a { server 127.0.0.1:1; } server { server_name c.test; location / { proxy_pass http://a; } }',
  ],
  limit_except: ['location', 'limit_except GET { deny all; }'],
  if: ['server', 'if ($http_x) { return 403; }'],
  geo: ['http', 'geo $g { default 0; }'],
  map: ['http', 'map $uri $m { default 0; }'],
  root: ['location', 'root /srv/b;'],
  server_name: ['server', 'server_name b.test;'],
  listen: ['server', 'listen 127.0.0.1:81;'],
  internal: ['location', 'internal;'],
  proxy_pass: ['location', 'proxy_pass http://127.0.0.1:4;'],
  fastcgi_pass: ['location', 'fastcgi_pass unix:/b;'],
  try_files: ['location', 'try_files $uri /other.html;'],
  break: ['location', 'break;'],
  return: ['location', 'return 403;'],
  rewrite: ['location', 'rewrite ^/x/(.*) /y/$1 last;'],
  set: ['location', 'set $a b;'],
  error_page: ['location', 'error_page 404 /x.html;'],
  add_header: ['location', 'add_header X-A b;'],
  alias: ['location', 'alias /srv/b/;'],
  allow: ['location', 'allow 10.0.0.1; deny all;'],
  auth_basic_user_file: ['location', 'auth_basic a; auth_basic_user_file /srv/p;'],
  autoindex: ['location', 'autoindex on;'],
  fastcgi_param: ['php', 'fastcgi_param APP x;'],
  proxy_read_timeout: ['proxy', 'proxy_read_timeout 9s;'],
  proxy_set_header: ['proxy', 'proxy_set_header X-A b;'],
  proxy_ssl_verify: ['proxy', 'proxy_ssl_verify on;'],
  satisfy: [
    'location',
    'allow 10.0.0.1; deny all; auth_basic a; auth_basic_user_file /srv/p; satisfy any;',
  ],
  ssl_certificate: ['tls', 'ssl_certificate /ssl/a.pem; ssl_certificate_key /ssl/a.key;'],
  ssl_certificate_key: ['tls', 'ssl_certificate /ssl/a.pem; ssl_certificate_key /ssl/a.key;'],
  limit_req: ['limited', 'limit_req zone=a;'],
  limit_req_zone: ['limited', 'limit_req zone=a;'],
}

describe('nginx', () => {
  const names = nginxNames()
  test('all of them are looked at', () => {
    expect(names.length).toBeGreaterThan(500)
    expect(Object.keys(NGINX_CARRIED).filter((name) => !names.includes(name))).toEqual([])
  })

  test('every directive is carried over or told, wherever it stands', () => {
    const silent = names
      .filter((name) => NGINX_CARRIED[name] === undefined)
      .flatMap((name) =>
        (['http', 'server', 'location'] as const).flatMap((place) =>
          [`${name} on;`, `${name} /a b;`, ...(name === 'include' ? [] : [`${name} 1 { a b; }`])]
            .filter((line) => isSilent('nginx', NGINX[place], line))
            .map((line) => `${place}: ${line}`),
        ),
      )
    expect(silent).toEqual([])
  })

  test.each(Object.entries(NGINX_CARRIED))('%s is carried over', (_, [place, line]) => {
    expect(isSilent('nginx', NGINX[place], line)).toBe(false)
  })
})

const VHOST = 'ServerName a.test\nDocumentRoot /srv/a'
const APACHE = {
  server: `HERE\n<VirtualHost *:80>\n${VHOST}\n</VirtualHost>`,
  host: `<VirtualHost *:80>\n${VHOST}\nHERE\n</VirtualHost>`,
  directory: `<VirtualHost *:80>\n${VHOST}\n<Directory /srv/a>\nHERE\n</Directory>\n</VirtualHost>`,
  tls: '<VirtualHost *:443>\nServerName a.test\nDocumentRoot /srv/a\nHERE\n</VirtualHost>',
  proxy: `<VirtualHost *:80>\n${VHOST}\nProxyPass / http://127.0.0.1:3/\nHERE\n</VirtualHost>`,
} as const

/** As above; of conditions and names of other files nothing is left but what they bring. */
const APACHE_CARRIED: Readonly<Record<string, readonly [keyof typeof APACHE, string]>> = {
  '<Directory': ['host', '<Directory /srv/a/b>\nRequire all denied\n</Directory>'],
  '<IfModule': ['host', '<IfModule mod_alias.c>\nRequire all denied\n</IfModule>'],
  '<IfDefine': ['host', '<IfDefine !X>\nRequire all denied\n</IfDefine>'],
  '<IfFile': ['host', '<IfFile /srv/a>\nRequire all denied\n</IfFile>'],
  '<IfVersion': ['host', '<IfVersion >= 2.4>\nRequire all denied\n</IfVersion>'],
  Define: ['host', 'Define X y\nHeader set X-A ${X}'],
  UnDefine: ['host', 'Define X y\nUnDefine X\nHeader set X-A "${X}"'],
  DocumentRoot: ['host', 'DocumentRoot /srv/b'],
  ServerName: ['host', 'ServerName b.test'],
  ServerAlias: ['host', 'ServerAlias b.test'],
  ServerRoot: ['server', 'ServerRoot /srv\nInclude none.conf'],
  IncludeOptional: ['host', 'IncludeOptional /etc/web/none*.conf\nRequire all denied'],
  KeepAliveTimeout: ['server', 'KeepAliveTimeout 9'],
  Satisfy: [
    'directory',
    'Order deny,allow\nDeny from all\nAuthType Basic\nAuthName a\nAuthUserFile /srv/p\nRequire valid-user\nSatisfy any',
  ],
  Listen: ['server', 'Listen 81'],
  ProxyPreserveHost: ['proxy', 'ProxyPreserveHost On'],
  ProxyTimeout: ['proxy', 'ProxyTimeout 9'],
  RewriteEngine: ['host', 'RewriteEngine On\nRewriteRule ^/a$ /b'],
  SSLEngine: ['host', 'SSLEngine on'],
  SSLCertificateFile: ['tls', 'SSLCertificateFile /ssl/a.pem\nSSLCertificateKeyFile /ssl/a.key'],
  SSLCertificateKeyFile: ['tls', 'SSLCertificateFile /ssl/a.pem\nSSLCertificateKeyFile /ssl/a.key'],
}

describe('Apache', () => {
  const names = apacheNames()
  test('all of them are looked at', () => {
    expect(names.length).toBeGreaterThan(600)
    expect(Object.keys(APACHE_CARRIED).filter((name) => !names.includes(name))).toEqual([])
  })

  test('every directive is carried over or told, wherever it stands', () => {
    const linesOf = (name: string): string[] =>
      name.startsWith('<')
        ? [`${name} "x">\nStrange on\n</${name.slice(1)}>`]
        : [`${name} on`, `${name} /a b`, `${name} x 1`]
    const silent = names
      .filter((name) => APACHE_CARRIED[name] === undefined)
      .flatMap((name) =>
        (['server', 'host', 'directory'] as const).flatMap((place) =>
          linesOf(name)
            .filter((line) => isSilent('apache', APACHE[place], line))
            .map((line) => `${place}: ${line}`),
        ),
      )
    expect(silent).toEqual([])
  })

  test.each(Object.entries(APACHE_CARRIED))('%s is carried over', (_, [place, line]) => {
    expect(isSilent('apache', APACHE[place], line)).toBe(false)
  })
})
