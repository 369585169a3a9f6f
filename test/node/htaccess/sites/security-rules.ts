import { ECHO_PHP, type CaseSite } from '../support/case-site.ts'

/** What security plugins and hosting forums let people write. */
export const securityRules: CaseSite[] = [
  {
    name: 'hardened',
    tree: {
      '.htaccess': `<Files xmlrpc.php>
  Order Deny,Allow
  Deny from all
</Files>
<Files wp-config.php>
  <IfModule mod_authz_core.c>
    Require all denied
  </IfModule>
  <IfModule !mod_authz_core.c>
    Order allow,deny
    Deny from all
  </IfModule>
</Files>
<FilesMatch "^(?:readme\\.html|license\\.txt|debug\\.log|.*\\.sql)$">
  Require all denied
</FilesMatch>
<IfModule mod_rewrite.c>
RewriteEngine On
RewriteBase /
RewriteCond %{QUERY_STRING} ^author=([0-9]*) [NC]
RewriteRule ^$ /? [R=301,L]
RewriteRule ^wp-admin/includes/ - [F]
RewriteRule !^wp-includes/ - [S=3]
RewriteRule ^wp-includes/[^/]+\\.php$ - [F]
RewriteRule ^wp-includes/js/tinymce/langs/.+\\.php - [F]
RewriteRule ^wp-includes/theme-compat/ - [F]
RewriteCond %{REQUEST_METHOD} ^(?:TRACK|DEBUG) [NC]
RewriteRule .* - [F]
RewriteCond %{HTTP_USER_AGENT} (?:ahrefs|semrush|mj12bot|nikto|sqlmap) [NC]
RewriteRule .* - [F,L]
RewriteCond %{REQUEST_URI} ^/wp-login\\.php$
RewriteCond %{REQUEST_METHOD} =POST
RewriteCond %{HTTP_REFERER} !^https?://hardened\\.test [NC]
RewriteRule .* - [R=403,L]
RewriteCond %{QUERY_STRING} \\.\\./ [OR]
RewriteCond %{QUERY_STRING} (?:<|%3C).*script.*(?:>|%3E) [NC,OR]
RewriteCond %{QUERY_STRING} (?:union(?:.*)select|concat\\() [NC,OR]
RewriteCond %{QUERY_STRING} (?:eval\\(|/etc/passwd|wp-config\\.php) [NC,OR]
RewriteCond %{QUERY_STRING} \\[[0-9]+\\].*\\[ [NC,OR]
RewriteCond %{QUERY_STRING} ([a-z0-9]{200,}) [NC]
RewriteRule .* - [F]
RewriteCond %{REQUEST_URI} (?:/(?:backup|\\.env|shell\\.php|adminer))(?:/|$) [NC]
RewriteRule .* - [F,L]
RewriteCond %{HTTP_REFERER} !^$
RewriteCond %{HTTP_REFERER} !^https?://(?:[^/]+\\.)?hardened\\.test(?:/|$) [NC]
RewriteRule \\.(?:jpe?g|png|gif)$ /hotlink.txt [NC,L]
RewriteCond %{HTTP_REFERER} (?:casino|pills) [NC]
RewriteRule ^ - [F]
RewriteRule ^index\\.php$ - [L]
RewriteCond %{REQUEST_FILENAME} !-f
RewriteCond %{REQUEST_FILENAME} !-d
RewriteRule . /index.php [L]
</IfModule>
<IfModule mod_headers.c>
Header set X-XSS-Protection "1; mode=block"
Header set X-Content-Type-Options nosniff
Header always append X-Frame-Options SAMEORIGIN
Header set Referrer-Policy "strict-origin-when-cross-origin"
Header set Content-Security-Policy "upgrade-insecure-requests; frame-ancestors 'self'"
Header set Permissions-Policy "geolocation=(), camera=()"
Header unset X-Powered-By
Header always unset X-Powered-By
</IfModule>
ServerSignature Off
FileETag None
LimitRequestBody 10240000
Options -Indexes
`,
      'index.php': ECHO_PHP,
      'xmlrpc.php': ECHO_PHP,
      'wp-config.php': '<?php echo "never";',
      'wp-login.php': ECHO_PHP,
      'readme.html': 'version 6',
      'dump.sql': 'rows',
      'hotlink.txt': 'do not link here',
      'wp-admin/includes/file.php': '<?php echo "never";',
      'wp-includes/load.php': '<?php echo "never";',
      'wp-includes/js/a.js': '1',
      'wp-content/uploads/a.jpg': 'picture',
      'wp-content/uploads/.htaccess': `<FilesMatch "\\.(?:php|phtml|phar)$">
  Require all denied
</FilesMatch>
`,
      'wp-content/uploads/shell.php': '<?php echo "never";',
    },
    asks: [
      [200, '/'],
      [403, '/xmlrpc.php'],
      [403, 'POST /xmlrpc.php', {}, '<methodCall/>'],
      [403, '/wp-config.php'],
      [403, '/readme.html'],
      [403, '/dump.sql'],
      [301, '/?author=1'],
      [403, '/wp-admin/includes/file.php'],
      [403, '/wp-includes/load.php'],
      [200, '/wp-includes/js/a.js'],
      [403, '/some/page', { 'user-agent': 'Mozilla/5.0 (compatible; AhrefsBot/7.0)' }],
      [200, '/some/page', { 'user-agent': 'Mozilla/5.0 (X11; Linux)' }],
      [403, 'POST /wp-login.php', {}, 'log=a'],
      [200, 'POST /wp-login.php', { referer: 'http://hardened.test/wp-login.php' }, 'log=a'],
      [403, '/?file=../../x'],
      [403, '/?q=%3Cscript%3Ealert(1)%3C/script%3E'],
      [403, '/?id=1+UNION+ALL+SELECT+2'],
      [403, '/?x=/etc/passwd'],
      [403, `/?long=${'a'.repeat(220)}`],
      [200, '/?s=ordinary+words'],
      [403, '/backup/'],
      [200, '/wp-content/uploads/a.jpg'],
      [200, '/wp-content/uploads/a.jpg', { referer: 'http://hardened.test/page' }],
      [200, '/wp-content/uploads/a.jpg', { referer: 'http://thief.test/page' }],
      [403, '/page', { referer: 'http://best-casino.test/' }],
      [403, '/wp-content/uploads/shell.php'],
      [200, '/a/permalink/'],
    ],
  },
  {
    name: 'canonical',
    tree: {
      '.htaccess': `RewriteEngine On
RewriteCond %{HTTP:X-Forwarded-Proto} !https
RewriteCond %{HTTPS} off
RewriteCond %{REQUEST_URI} ^/force-https
RewriteRule ^(.*)$ https://%{HTTP_HOST}/$1 [R=301,L]
RewriteCond %{HTTP_HOST} !^www\\. [NC]
RewriteCond %{REQUEST_URI} ^/force-www
RewriteRule ^(.*)$ http://www.%{HTTP_HOST}/$1 [R=301,L]
RewriteCond %{REQUEST_URI} ^/force-bare
RewriteCond %{HTTP_HOST} ^www\\.(.*)$ [NC]
RewriteRule ^(.*)$ http://%1/$1 [R=301,L]
RewriteCond %{THE_REQUEST} ^[A-Z]{3,9}\\ /.*index\\.html\\ HTTP/
RewriteRule ^(.*)index\\.html$ /$1 [R=301,L]
RewriteCond %{REQUEST_FILENAME} !-d
RewriteRule ^(.*[^/])/$ /$1 [R=301,L]
RewriteCond %{THE_REQUEST} \\s/+(.+?)\\.html[\\s?] [NC]
RewriteRule ^ /%1 [R=302,L,NE]
RewriteCond %{REQUEST_FILENAME} !-d
RewriteCond %{REQUEST_FILENAME}.html -f
RewriteRule ^(.+?)$ $1.html [L]
`,
      'index.html': 'home',
      'about.html': 'about',
      'folder/index.html': 'folder',
    },
    asks: [
      [301, '/force-https/a?b=c'],
      [404, '/force-https/a', { 'x-forwarded-proto': 'https' }],
      [301, '/force-www/a?b=c'],
      [301, '/force-bare/a', { host: 'www.canonical.test' }],
      [301, '/index.html'],
      [302, '/folder/index.html?x=1'],
      [200, '/'],
      [200, '/folder/'],
      [301, '/about/'],
      [302, '/about.html?x=1'],
      [200, '/about'],
    ],
  },
  {
    name: 'maintenance',
    tree: {
      '.htaccess': `ErrorDocument 503 /maintenance.html
RewriteEngine On
RewriteCond %{REMOTE_ADDR} !^10\\.0\\.0\\.1$
RewriteCond %{REQUEST_URI} !^/maintenance\\.html$
RewriteCond %{REQUEST_URI} !\\.(?:css|png)$
RewriteRule ^ - [R=503,L]
Header always set Retry-After "3600"
`,
      'maintenance.html': 'back soon',
      'style.css': 'a{}',
      'index.html': 'home',
      'open/.htaccess':
        'RewriteEngine On\nRewriteCond %{REMOTE_ADDR} !^127\\.0\\.0\\.1$\nRewriteRule ^ /maintenance.html [R=302,L]\n',
      'open/a.html': 'a',
    },
    asks: [
      [503, '/'],
      [503, '/any/page'],
      [200, '/maintenance.html'],
      [200, '/style.css'],
      [200, '/open/a.html'],
    ],
  },
]
