import type { Family, FamilyAsk } from '../support/family.ts'
import { apachePrelude, nginxPrelude } from '../support/source-server.ts'
import { commonAsks, commonTree } from './common.ts'

/** Shows how a path was split. */
const SPLIT = `<?php
header('Content-Type: text/plain');
foreach (['REQUEST_URI', 'SCRIPT_NAME', 'PATH_INFO', 'QUERY_STRING'] as $name)
  echo $name, '=', $_SERVER[$name] ?? '', "\\n";
`

const TREE: Record<string, string> = {
  ...commonTree('paths'),
  'paths/index.php': SPLIT,
  'paths/echo.php': SPLIT,
  'paths/photo.jpg': '<?php echo "it runs";',
  'paths/dav/remote.php': SPLIT,
  'paths/named.php/page.txt': 'page of a directory',
}

const TARGETS = [
  '/echo.php/foo',
  '/echo.php/foo/',
  '/echo.php/',
  '/echo.php/foo/bar.txt?a=1',
  '/echo.php/other.php',
  '/echo.php/.hidden',
  '/index.php/foo/',
  '/dav/remote.php/files/a.bak',
  '/dav/remote.php/files/',
  '/missing.php/foo',
  '/missing.php/',
  '/photo.jpg/x.php',
  '/photo.jpg/x.php/',
  '/named.php/page.txt',
  '/a/route',
]

const HOSTS = ['split', 'debian', 'plain', 'pattern', 'closed']

const DIRECTORY = [200, 'A directory may be named like a script; what is in it is a file.'] as const
const DIFFERING: Readonly<Record<string, readonly [number, string]>> = {
  'split/named.php/page.txt': DIRECTORY,
  'pattern/echo.php/other.php': [200, 'A path is split behind the first script in it.'],
}

/** Each oddity once. */
const LEFT_OUT = new Set([
  'debian/named.php/page.txt',
  'pattern/named.php/page.txt',
  'handler/missing.php/',
  'whole/missing.php/',
  'whole/missing.php/foo',
  'whole/photo.jpg/x.php',
  'front/missing.php/',
  'front/missing.php/foo',
  'whole/photo.jpg/x.php/',
  'whole/named.php/page.txt',
])

/** Paths that go on behind a script, in the ways nginx is told of them. */
const nginxPathInfo: Family = {
  name: 'nginx with paths behind scripts',
  server: 'nginx',
  main: 'nginx.conf',
  host: 'split.test',
  tree: TREE,
  config: (place) => {
    const params = `fastcgi_param SCRIPT_FILENAME $document_root$fastcgi_script_name;
      fastcgi_param SCRIPT_NAME $fastcgi_script_name;
      fastcgi_param PATH_INFO $fastcgi_path_info;
      fastcgi_param QUERY_STRING $query_string;
      fastcgi_param REQUEST_METHOD $request_method;
      fastcgi_param REQUEST_URI $request_uri;
      fastcgi_pass unix:${place.socket};`
    const server = (name: string, locations: string): string => `
  server {
    listen 127.0.0.1:${place.port};
    server_name ${name}.test;
    root ${place.directory}/sites/paths;
    index index.html index.php;
    ${locations}
  }`
    return {
      'nginx.conf': `${nginxPrelude(place)}
${server(
  'split',
  `location / { try_files $uri $uri/ /index.php$is_args$args; }
    location ~ [^/]\\.php(/|$) {
      fastcgi_split_path_info ^(.+?\\.php)(/.*)$;
      if (!-f $document_root$fastcgi_script_name) { return 404; }
      ${params}
    }`,
)}
${server(
  'debian',
  `location / { try_files $uri $uri/ =404; }
    location ~ \\.php {
      fastcgi_split_path_info ^(.+?\\.php)(/.*)$;
      try_files $fastcgi_script_name =404;
      set $path_info $fastcgi_path_info;
      fastcgi_index index.php;
      ${params.replace('$fastcgi_path_info', '$path_info')}
    }`,
)}
${server(
  'plain',
  `location / { try_files $uri $uri/ /index.php?$query_string; }
    location ~ \\.php$ {
      try_files $uri =404;
      ${params}
    }`,
)}
${server(
  'pattern',
  `location ~ ^(.+\\.php)(/.+)?$ {
      fastcgi_split_path_info ^(.+\\.php)(/.+)?$;
      set $info $fastcgi_path_info;
      try_files $fastcgi_script_name =404;
      ${params.replace('$fastcgi_path_info', '$info')}
    }`,
)}
${server(
  'closed',
  `location ~ ^/(index|dav/remote)\\.php(/|$) { fastcgi_split_path_info ^(.+?\\.php)(/.*)$; ${params} }
    location ~ \\.php(/|$) { return 404; }
    location / { try_files $uri =404; }`,
)}
}
`,
    }
  },
  asks: [
    ...commonAsks.slice(0, 12),
    ...HOSTS.flatMap((name) =>
      TARGETS.flatMap((target): FamilyAsk[] => {
        if (LEFT_OUT.has(`${name}${target}`)) return []
        const differs = DIFFERING[`${name}${target}`]
        return [[target, { host: `${name}.test`, ...(differs ? { differs } : {}) }]]
      }),
    ),
  ],
}

const NO_SCRIPT = [404, 'PHP is asked for scripts alone that are there.'] as const
const APACHE_DIFFERING: Readonly<Record<string, readonly [number, string]>> = {
  'handler/missing.php/foo': NO_SCRIPT,
  'ending/photo.jpg/x.php': NO_SCRIPT,
  'front/a/route': [200, 'Apache calls a script without a name where rules led to it with a path.'],
}

/** Paths that go on behind a script, in the ways Apache is told of them. */
const apachePathInfo: Family = {
  name: 'Apache with paths behind scripts',
  server: 'apache',
  main: 'httpd.conf',
  host: 'handler.test',
  tree: { ...TREE, 'paths/strict/echo.php': SPLIT },
  config: (place) => {
    const root = `${place.directory}/sites/paths`
    const host = (name: string, lines: string): string => `
<VirtualHost 127.0.0.1:${place.port}>
  ServerName ${name}.test
  DocumentRoot ${root}
  DirectoryIndex index.html index.php
  <Directory ${root}>
    Require all granted
  </Directory>
  ${lines}
</VirtualHost>
`
    return {
      'httpd.conf': `${apachePrelude(place)}
${host(
  'handler',
  `<FilesMatch "\\.php$">
    SetHandler "proxy:unix:${place.socket}|fcgi://localhost"
  </FilesMatch>
  <Directory ${root}/strict>
    AcceptPathInfo Off
  </Directory>`,
)}
${host('ending', `ProxyPassMatch "^/(.*\\.php)$" "fcgi://127.0.0.1:${place.phpPort}${root}/$1"`)}
${host('whole', `ProxyPassMatch "^/(.*\\.php(/.*)?)$" "fcgi://127.0.0.1:${place.phpPort}${root}/$1"`)}
${host(
  'front',
  `<FilesMatch "\\.php$">
    SetHandler "proxy:unix:${place.socket}|fcgi://localhost"
  </FilesMatch>
  RewriteEngine On
  RewriteCond %{DOCUMENT_ROOT}%{REQUEST_URI} !-f
  RewriteCond %{REQUEST_URI} !\\.php
  RewriteRule ^/(.*)$ /index.php/$1 [L]`,
)}`,
    }
  },
  asks: [
    ...commonAsks.slice(0, 12),
    ...['handler', 'ending', 'whole', 'front'].flatMap((name) =>
      [...TARGETS, '/strict/echo.php', '/strict/echo.php/foo'].flatMap((target): FamilyAsk[] => {
        if (LEFT_OUT.has(`${name}${target}`)) return []
        const differs = APACHE_DIFFERING[`${name}${target}`]
        return [[target, { host: `${name}.test`, ...(differs ? { differs } : {}) }]]
      }),
    ),
  ],
}

export const pathInfoFamilies: readonly Family[] = [nginxPathInfo, apachePathInfo]
