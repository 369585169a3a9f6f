import { ECHO_PHP, type CaseSite } from '../support/case-site.ts'

/** Rules of the shape that larger content management systems bring. */
export const contentSystems: CaseSite[] = [
  {
    name: 'drupal',
    tree: {
      '.htaccess': `<FilesMatch "\\.(engine|inc|install|make|module|profile|po|sh|.*sql|theme|twig|tpl(\\.php)?|xtmpl|yml)(~|\\.sw[op]|\\.bak|\\.orig|\\.save)?$|^(\\.(?!well-known).*|Entries.*|Repository|Root|Tag|Template|composer\\.(json|lock)|web\\.config)$">
  <IfModule mod_authz_core.c>
    Require all denied
  </IfModule>
  <IfModule !mod_authz_core.c>
    Order allow,deny
  </IfModule>
</FilesMatch>
Options -Indexes
<IfModule mod_php.c>
  php_value assert.active 0
</IfModule>
AddType image/svg+xml svg svgz
AddEncoding gzip svgz
<IfModule mod_expires.c>
  ExpiresActive On
  ExpiresDefault A1209600
  <FilesMatch \\.php$>
    ExpiresActive Off
  </FilesMatch>
</IfModule>
<IfModule mod_rewrite.c>
  RewriteEngine on
  RewriteRule ^ - [E=protossl]
  RewriteCond %{HTTPS} on
  RewriteRule ^ - [E=protossl:s]
  RewriteRule "/\\.|^\\.(?!well-known/)" - [F]
  RewriteCond %{REQUEST_URI} ^(.*)?/(install\\.php) [OR]
  RewriteCond %{REQUEST_URI} ^(.*)?/(rebuild\\.php)
  RewriteCond %{REQUEST_URI} !core
  RewriteRule ^ %1/core/%2 [L,QSA,R=301]
  RewriteCond %{REQUEST_FILENAME} !-f
  RewriteCond %{REQUEST_FILENAME} !-d
  RewriteCond %{REQUEST_URI} !=/favicon.ico
  RewriteRule ^ index.php [L]
  RewriteCond %{REQUEST_URI} !/core/[^/]*\\.php$
  RewriteCond %{REQUEST_URI} !/core/modules/system/tests/https?\\.php
  RewriteRule "^(.+/.*|autoload)\\.php($|/)" - [F]
</IfModule>
<IfModule mod_headers.c>
  Header always set X-Content-Type-Options nosniff
  RequestHeader unset Proxy
</IfModule>
`,
      'index.php': ECHO_PHP,
      'autoload.php': '<?php echo "never";',
      'composer.json': '{}',
      'core/install.php': ECHO_PHP,
      'core/misc/a.js': '1',
      'modules/a/a.module': 'code',
      'modules/a/a.info.yml': 'a: b',
      'sites/default/settings.php': '<?php echo "never";',
      'logo.svg': '<svg/>',
    },
    asks: [
      [200, '/'],
      [200, '/node/1?page=2'],
      [200, '/logo.svg'],
      [200, '/core/misc/a.js'],
      [403, '/modules/a/a.module'],
      [403, '/modules/a/a.info.yml'],
      [403, '/composer.json'],
      [403, '/autoload.php'],
      [403, '/sites/default/settings.php'],
      [301, '/install.php?x=1'],
      [200, '/core/install.php'],
      [404, '/favicon.ico'],
    ],
  },
  {
    name: 'joomla',
    tree: {
      '.htaccess': `<IfModule mod_autoindex.c>
  IndexIgnore *
</IfModule>
Options +FollowSymlinks
Options -Indexes
<IfModule mod_headers.c>
Header always set X-Content-Type-Options "nosniff"
</IfModule>
RewriteEngine On
RewriteCond %{QUERY_STRING} base64_encode[^(]*\\([^)]*\\) [OR]
RewriteCond %{QUERY_STRING} (<|%3C)([^s]*s)+cript.*(>|%3E) [NC,OR]
RewriteCond %{QUERY_STRING} GLOBALS(=|\\[|\\%[0-9A-Z]{0,2}) [OR]
RewriteCond %{QUERY_STRING} _REQUEST(=|\\[|\\%[0-9A-Z]{0,2})
RewriteRule .* index.php [F]
RewriteRule .* - [E=HTTP_AUTHORIZATION:%{HTTP:Authorization}]
RewriteCond %{REQUEST_URI} ^/api/
RewriteCond %{REQUEST_URI} !^/api/index\\.php
RewriteCond %{REQUEST_FILENAME} !-f
RewriteCond %{REQUEST_FILENAME} !-d
RewriteRule .* api/index.php [L]
RewriteCond %{REQUEST_URI} !^/index\\.php
RewriteCond %{REQUEST_FILENAME} !-f
RewriteCond %{REQUEST_FILENAME} !-d
RewriteRule .* index.php [L]
`,
      'index.php': ECHO_PHP,
      'api/index.php': ECHO_PHP,
      'media/a.css': 'a{}',
    },
    asks: [
      [200, '/component/content?id=3'],
      [200, '/api/v1/articles', { authorization: 'Bearer j' }],
      [200, '/media/a.css'],
      [403, '/?x=%3Cscript%3E'],
      [403, '/?GLOBALS[x]=1'],
      [403, '/?a=base64_encode(x)'],
      [200, '/index.php/some/path'],
    ],
  },
]
