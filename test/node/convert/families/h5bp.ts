import type { Family, FamilyAsk } from '../support/family.ts'
import { apachePrelude, nginxPrelude } from '../support/source-server.ts'
import { commonAsks, commonTree, HIDDEN_REASON, withDifferences } from './common.ts'

const NO_BODY = 'A redirect of Berth has no body, and so no type to have headers for.'
const LEADING = ['/sub', '/sub?x=1', '/sub/deep']

const tree = {
  ...commonTree('boiler'),
  'boiler/404.html': '<p>own page</p>',
  'boiler/app.css': 'p{}',
  'boiler/app.js': 'let a',
  'boiler/feed.atom': '<feed/>',
  'boiler/font.woff2': 'font',
  'boiler/icon.ico': 'icon',
  'boiler/site.webmanifest': '{}',
  'boiler/old.bak': 'old',
  'boiler/dump.sql': 'secret',
}
const asks: readonly FamilyAsk[] = [
  ...commonAsks,
  ['/'],
  ['/app.css'],
  ['/app.js'],
  ['/feed.atom'],
  ['/font.woff2'],
  ['/icon.ico'],
  ['/site.webmanifest'],
  ['/dump.sql'],
  ['/missing'],
  ['/missing.css'],
  ['/sub/missing/'],
  ['/old.bak', { differs: [404, HIDDEN_REASON] }],
  ['/.env', { differs: [404, HIDDEN_REASON] }],
  ['/app.js', { method: 'HEAD' }],
  ['/app.css', { headers: { range: 'bytes=0-1' } }],
  ['/app.css?v=1'],
  ['/feed.atom?x'],
  ['/font.woff2', { method: 'HEAD' }],
  ['/sub/deep/file.html?x'],
]

/** Headers and ages by the type that a response has, as HTML5 Boilerplate's for nginx are written. */
const nginx: Family = {
  name: 'nginx in the style of HTML5 Boilerplate',
  server: 'nginx',
  main: 'nginx.conf',
  host: 'boiler.test',
  tree,
  config: (place) => ({
    'nginx.conf': `${nginxPrelude(place)}
  map $sent_http_content_type $expires {
    default                 1y;
    ""                      off;
    ~*text/css              1y;
    ~*application/atom\\+xml 1h;
    ~*application/json      0;
    ~*text/html             0;
    ~*text/plain            1M;
    ~*image/jpeg            1M;
  }
  map $sent_http_content_type $content_security_policy {
    ~*text/(html|javascript)|application/pdf|xml "default-src 'self'; object-src 'none'";
  }
  map $sent_http_content_type $referrer_policy {
    ~*text/(css|html|javascript)|application\\/pdf|xml "strict-origin-when-cross-origin";
  }
  map $sent_http_content_type $cors {
    ~*font/ "*";
    image/x-icon "*";
  }
  server {
    listen 127.0.0.1:${place.port};
    server_name boiler.test;
    root ${place.directory}/sites/boiler;
    error_page 404 /404.html;
    expires $expires;
    add_header X-Content-Type-Options nosniff always;
    add_header Content-Security-Policy $content_security_policy always;
    add_header Referrer-Policy $referrer_policy always;
    add_header Access-Control-Allow-Origin $cors;
    location ~* /\\.(?!well-known\\/) { deny all; }
    location ~* (?:#.*#|\\.(?:bak|conf|dist|fla|in[ci]|log|orig|psd|sh|sql|sw[op])|~)$ { deny all; }
  }
}
`,
  }),
  asks: withDifferences(asks, [
    [LEADING, 301, NO_BODY],
    [['/script.js', '/app.js'], 200, 'Scripts are text/javascript (RFC 9239).'],
    [['/site.webmanifest'], 200, 'nginx knows no such files.'],
  ]).filter(([, options]) => options?.headers?.['if-modified-since'] === undefined),
}

/** The same for Apache, with conditions on the type in headers. */
const apache: Family = {
  name: 'Apache in the style of HTML5 Boilerplate',
  server: 'apache',
  main: 'httpd.conf',
  host: 'boiler.test',
  tree,
  config: (place) => ({
    'httpd.conf': `${apachePrelude(place)}
<VirtualHost *:${place.port}>
  ServerName boiler.test
  DocumentRoot ${place.directory}/sites/boiler
  <Directory ${place.directory}/sites/boiler>
    Require all granted
  </Directory>
  ErrorDocument 404 /404.html
  Options -MultiViews
  <IfModule mod_mime.c>
    AddType application/atom+xml atom
    AddType application/manifest+json webmanifest
    AddType image/x-icon cur ico
    AddType font/woff2 woff2
    AddCharset utf-8 .atom .css .js .json .webmanifest
  </IfModule>
  AddDefaultCharset utf-8
  <IfModule mod_rewrite.c>
    RewriteEngine On
    RewriteCond %{SCRIPT_FILENAME} -d [OR]
    RewriteCond %{SCRIPT_FILENAME} -f
    RewriteRule "(^|/)\\." - [F]
    RewriteCond %{REQUEST_URI} "!(^|/)\\.well-known/([^./]+./?)+$" [NC]
    RewriteRule "(?:^|/)\\." - [F]
  </IfModule>
  <IfModule mod_authz_core.c>
    <FilesMatch "(^#.*#|\\.(bak|conf|dist|fla|in[ci]|log|orig|psd|sh|sql|sw[op])|~)$">
      Require all denied
    </FilesMatch>
  </IfModule>
  <IfModule mod_headers.c>
    Header always set X-Content-Type-Options "nosniff"
    Header always set Content-Security-Policy "default-src 'self'; object-src 'none'" "expr=%{CONTENT_TYPE} =~ m#text\\/(html|javascript)|application\\/pdf|xml#i"
    Header always set Referrer-Policy "strict-origin-when-cross-origin" "expr=%{CONTENT_TYPE} =~ m#text\\/(css|html|javascript)|application\\/pdf|xml#i"
    <FilesMatch "\\.(eot|otf|tt[cf]|woff2?)$">
      Header set Access-Control-Allow-Origin "*"
    </FilesMatch>
    Header unset X-Powered-By
  </IfModule>
  FileETag None
  <IfModule mod_expires.c>
    ExpiresActive on
    ExpiresDefault "access plus 1 month"
    ExpiresByType text/css "access plus 1 year"
    ExpiresByType application/atom+xml "access plus 1 hour"
    ExpiresByType application/json "access plus 0 seconds"
    ExpiresByType text/html "access plus 0 seconds"
    ExpiresByType image/x-icon "access plus 1 week"
    ExpiresByType application/manifest+json "access plus 1 week"
  </IfModule>
</VirtualHost>
`,
  }),
  asks: withDifferences(
    asks.filter(([target]) => !target.startsWith('/.')),
    [[LEADING, 301, NO_BODY]],
  ),
}

export const boilerplateFamilies: readonly Family[] = [nginx, apache]
