import { ECHO_PHP, type CaseSite } from '../support/case-site.ts'

/** `Header`, `Expires*`, types, character sets, environment. */
export const answers: CaseSite[] = [
  {
    name: 'header',
    tree: {
      '.htaccess': `Header set X-Set one
Header set X-Set two
Header append X-Append a
Header append X-Append b
Header merge X-Merge a
Header merge X-Merge a
Header add X-Add 1
Header always set X-Always yes
Header always set X-Frame-Options "SAMEORIGIN"
Header set X-Quoted "a \\"quoted\\" value"
Header set X-Percent "100%%"
Header set Strict-Transport-Security "max-age=31536000; includeSubDomains" env=HTTPS
Header set X-Flagged flagged env=T_FLAG
Header set X-Unflagged plain env=!T_FLAG
Header unset X-From-Php
Header edit X-Edited ^(.*)$ "<$1>"
Header setifempty X-Empty filled
Header setifempty X-Own filled
SetEnvIf Request_URI flagged T_FLAG
RequestHeader set X-Given server
<FilesMatch "\\.(?:css|js)$">
  Header set Cache-Control "max-age=600, public"
</FilesMatch>
<Files "page.html">
  Header set X-Page "only here"
</Files>
<IfModule mod_headers.c>
  Header set X-Module yes
</IfModule>
<IfModule mod_nothing.c>
  Header set X-No-Module no
</IfModule>
<IfModule !mod_nothing.c>
  Header set X-Without yes
</IfModule>
Header set X-Expr yes "expr=%{REQUEST_URI} =~ m#page#"
`,
      'page.html': 'page',
      'flagged.html': 'flagged',
      'style.css': 'a{}',
      'script.js': '1',
      'data.json': '{}',
      'own.php': `<?php header('X-From-Php: removed'); header('X-Edited: me'); header('X-Own: kept'); header('X-Set: php'); header('X-Always: php'); header('Content-Type: text/plain'); echo $_SERVER['HTTP_X_GIVEN'] ?? 'none';`,
    },
    asks: [
      [200, '/page.html'],
      [200, '/flagged.html'],
      [200, '/style.css'],
      [200, '/script.js'],
      [200, '/data.json'],
      [200, '/own.php'],
      [404, '/missing.html'],
      [200, 'HEAD /page.html'],
    ],
  },
  {
    name: 'expires',
    tree: {
      '.htaccess': `ExpiresActive On
ExpiresDefault "access plus 1 day"
ExpiresByType text/html "access plus 0 seconds"
ExpiresByType text/css "access plus 1 month 2 days"
ExpiresByType image/png A3600
ExpiresByType application/json "now plus 90 minutes"
`,
      'a.html': 'a',
      'a.css': 'a{}',
      'a.png': 'png',
      'a.json': '{}',
      'a.bin': 'bin',
      'own.php': `<?php header('Cache-Control: max-age=7'); echo 'own';`,
      'dated.php': `<?php header('Expires: Thu, 01 Jan 1970 00:00:00 GMT'); echo 'own';`,
      'plain.php': `<?php echo 'plain';`,
      'off/.htaccess': 'ExpiresActive Off\n',
      'off/a.css': 'a{}',
      'inner/.htaccess': 'ExpiresByType text/css "access plus 1 hour"\n',
      'inner/a.css': 'a{}',
      'inner/a.png': 'png',
    },
    asks: [
      [200, '/a.html'],
      [200, '/a.css'],
      [200, '/a.png'],
      [200, '/a.json'],
      [200, '/plain.php'],
      [200, '/own.php'],
      [200, '/dated.php'],
      [404, '/missing.css'],
      [200, '/off/a.css'],
      [200, '/inner/a.css'],
      [200, '/inner/a.png'],
    ],
  },
  {
    name: 'types',
    tree: {
      '.htaccess': `AddType application/x-thing .thing
AddType "application/vnd.own" own
AddType image/webp .picture
<Files "download.html">
  ForceType application/octet-stream
  Header set Content-Disposition attachment
</Files>
AddCharset iso-8859-1 .latin
AddLanguage fr .fr
SetEnv T_SET "given value"
SetEnvIf User-Agent "Special" T_AGENT=special
SetEnvIfNoCase X-Mode "^FAST(.*)" T_MODE=fast$1
SetEnvIf Request_Method ^POST$ T_POST
BrowserMatchNoCase bot T_BOT=1
SetEnv T_GONE here
UnsetEnv T_GONE
PassEnv T_NOT_THERE
`,
      'a.thing': 'thing',
      'a.own': 'own',
      'a.picture': 'picture',
      'download.html': 'download',
      'page.latin.html': 'page',
      'seite.html.fr': 'page',
      'echo.php': ECHO_PHP,
      'latin/.htaccess': 'AddDefaultCharset iso-8859-1\n',
      'latin/a.html': 'a',
      'latin/a.txt': 'a',
      'bare/.htaccess': 'AddDefaultCharset Off\n',
      'forced/.htaccess': 'ForceType text/plain\n',
      'forced/a.html': '<b>',
      'forced/none/.htaccess': 'ForceType None\n',
      'forced/none/a.css': 'a{}',
      'removed/.htaccess': 'RemoveType .thing\n',
      'code/.htaccess': 'SetHandler default-handler\n',
      'code/page.html': 'page',
    },
    asks: [
      [200, '/a.thing'],
      [200, '/a.own'],
      [200, '/a.picture'],
      [200, '/download.html'],
      [200, '/echo.php'],
      [200, '/echo.php', { 'user-agent': 'Special robot', 'x-mode': 'fastest' }],
      [200, 'POST /echo.php', {}, 'a=b'],
      [200, '/latin/a.html'],
      [200, '/latin/a.txt'],
      [200, '/forced/a.html'],
      [200, '/forced/none/a.css'],
      [200, '/code/page.html'],
    ],
  },
]
