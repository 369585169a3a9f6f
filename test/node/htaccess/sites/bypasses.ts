import { ECHO_PHP, type CaseSite } from '../support/case-site.ts'

/** Other spellings of an address that rules have closed. */
export const bypasses: CaseSite[] = [
  {
    name: 'bypass',
    tree: {
      '.htaccess': `RewriteEngine On
RewriteRule ^rewritten/ - [F]
RewriteRule ^script\\.php$ - [F]
RewriteCond %{QUERY_STRING} secret
RewriteRule ^ - [F]
RedirectMatch 403 ^/matched/
<Files "closed.txt">
  Require all denied
</Files>
<FilesMatch "\\.php$">
  Header set X-Script yes
</FilesMatch>
`,
      'rewritten/a.html': 'a',
      'matched/a.html': 'a',
      'closed.txt': 'closed',
      'script.php': ECHO_PHP,
      'open.php': ECHO_PHP,
      'below/closed.txt': 'closed too',
      'walled/.htaccess': 'Require all denied\n',
      'walled/a.html': 'a',
      'walled/deep/deeper/a.html': 'a',
      'walled/run.php': ECHO_PHP,
    },
    asks: [
      [403, '/rewritten/a.html'],
      [403, '//rewritten/a.html'],
      [403, '/./rewritten/a.html'],
      [403, '/x/../rewritten/a.html'],
      [403, '/%72ewritten/a.html'],
      [403, '/rewritten//a.html'],
      [403, '/matched/a.html'],
      [403, '//matched//a.html'],
      [403, '/%6datched/a.html'],
      [403, '/closed.txt'],
      [403, '/closed%2Etxt'],
      [403, '//closed.txt'],
      [403, '/closed.txt?x=1'],
      [404, '/closed.txt%3Fx'],
      [404, '/closed.txt%20'],
      [404, '/Closed.txt'],
      [403, '/below/closed.txt'],
      [403, '/below/../closed.txt'],
      [403, '/walled/a.html'],
      [403, '//walled/a.html'],
      [403, '/walled//deep///deeper/a.html'],
      [403, '/walled/deep/../a.html'],
      [403, '/walled/run.php'],
      [403, '/walled/run.php/info'],
      [403, '/walled'],
      [403, '/walled/'],
      [403, '/walled/nothing/here'],
      [404, '/walled%2Fa.html'],
      [403, '/script.php'],
      [403, '//script.php'],
      [200, '/open.php/info'],
      [403, '/open.php?a=secret'],
      [200, '/open.php?a=s%65cret'],
      [403, 'POST /open.php?secret', {}, 'x=1'],
      [403, 'HEAD /closed.txt'],
    ],
  },
]
