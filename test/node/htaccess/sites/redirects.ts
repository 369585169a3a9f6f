import { ECHO_PHP, type CaseSite } from '../support/case-site.ts'

/** `Redirect`, `RedirectMatch`, `ErrorDocument`, `DirectoryIndex`, `FallbackResource`. */
export const redirects: CaseSite[] = [
  {
    name: 'redirects',
    tree: {
      '.htaccess': `Redirect /old /new.html
Redirect 301 /old301 http://redirects.test/new.html
Redirect permanent /oldp /new.html
Redirect temp /oldt /new.html
Redirect seeother /olds /new.html
Redirect gone /oldg
Redirect 308 /old308 /new.html
Redirect 403 /old403
Redirect 404 /old404
RedirectPermanent /rp /new.html
RedirectTemp /rt /new.html
RedirectMatch ^/match/([0-9]+)$ /item?id=$1
RedirectMatch 301 (.*)\\.gif$ http://images.test$1.png
RedirectMatch gone ^/dead/
RedirectMatch 404 \\.(?:sql|log)$
Redirect "/with space" /new.html
ErrorDocument 404 /errors/404.html
ErrorDocument 403 "Not for you."
ErrorDocument 410 /errors/gone.php
ErrorDocument 500 http://other.test/broken
`,
      'new.html': 'new',
      'dump.sql': 'secret',
      'errors/404.html': 'own 404 page',
      'errors/gone.php': `<?php header('X-Status: ' . ($_SERVER['REDIRECT_STATUS'] ?? '')); echo 'gone: ', $_SERVER['REDIRECT_URL'] ?? '';`,
    },
    asks: [
      [302, '/old'],
      [302, '/old/deep/er?x=1'],
      [404, '/older'],
      [301, '/old301'],
      [301, '/old301/a?b=c'],
      [301, '/oldp'],
      [302, '/oldt'],
      [303, '/olds'],
      [410, '/oldg'],
      [308, 'POST /old308', {}, 'a'],
      [403, '/old403'],
      [404, '/old404'],
      [301, '/rp'],
      [302, '/rt'],
      [302, '/match/12?q=1'],
      [404, '/match/x'],
      [301, '/a/b.gif'],
      [410, '/dead/page'],
      [404, '/dump.sql'],
      [302, '/with%20space'],
      [404, '/nothing-here'],
      [404, 'POST /nothing-here', {}, 'a=b'],
      [200, '/new.html'],
    ],
  },
  {
    name: 'index',
    tree: {
      '.htaccess': `DirectoryIndex first.html second.php
Options -Indexes
ErrorDocument 404 "nothing <b>here</b>"
`,
      'first.html': 'first',
      'index.html': 'not the index',
      'second/second.php': ECHO_PHP,
      'both/first.html': 'first of both',
      'both/second.php': ECHO_PHP,
      'none/index.html': 'not the index',
      'shared/.htaccess': 'DirectoryIndex none.html /first.html\n',
      'disabled/.htaccess': 'DirectoryIndex disabled\n',
      'disabled/first.html': 'first',
    },
    asks: [
      [200, '/'],
      [200, '/second/'],
      [200, '/second/?a=b'],
      [301, '/second?a=b'],
      [200, '/both/'],
      [403, '/none/'],
      [200, '/none/index.html'],
      [200, '/shared/'],
      [403, '/disabled/'],
      [404, '/missing'],
    ],
  },
  {
    name: 'fallback',
    tree: {
      '.htaccess': 'FallbackResource /front.php\n',
      'front.php': ECHO_PHP,
      'there.html': 'there',
      'folder/page.html': 'page',
      'off/.htaccess': 'FallbackResource disabled\n',
      'off/page.html': 'page',
      'own/.htaccess': 'FallbackResource /own/own.php\n',
      'own/own.php': ECHO_PHP,
    },
    asks: [
      [200, '/there.html'],
      [200, '/some/route?x=1'],
      [200, 'POST /some/route', {}, 'a=b'],
      [200, '/front.php'],
      [200, '/folder/page.html'],
      [200, '/folder/none'],
      [404, '/off/none'],
      [200, '/own/route'],
    ],
  },
]
