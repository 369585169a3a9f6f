import { FRAMEWORK_RULES, WORDPRESS_RULES } from '#test/support/setups/rewrite-rules.ts'
import { ECHO_PHP, type CaseSite } from '../support/case-site.ts'

/** Rules of the shape that blogs and PHP frameworks bring or write themselves. */
export const applications: CaseSite[] = [
  {
    name: 'wordpress',
    tree: {
      '.htaccess': WORDPRESS_RULES,
      'index.php': ECHO_PHP,
      'wp-login.php': ECHO_PHP,
      'wp-admin/index.php': ECHO_PHP,
      'wp-content/uploads/a.png': 'png',
    },
    asks: [
      [200, '/'],
      [200, '/index.php'],
      [200, '/2026/11/hello-world/?replytocom=3'],
      [200, '/category/caf%C3%A9/page/2/'],
      [200, '/wp-login.php?action=lostpassword'],
      [200, '/wp-admin/'],
      [301, '/wp-admin'],
      [200, '/wp-content/uploads/a.png'],
      [200, '/wp-content/uploads/missing.png'],
      [200, 'POST /wp-json/wp/v2/posts', { 'content-type': 'application/json' }, '{}'],
      [200, '/wp-json/', { authorization: 'Bearer token' }],
    ],
  },
  {
    name: 'multisite',
    tree: {
      '.htaccess': `RewriteEngine On
RewriteBase /
RewriteRule ^index\\.php$ - [L]
RewriteRule ^([_0-9a-zA-Z-]+/)?wp-admin$ $1wp-admin/ [R=301,L]
RewriteCond %{REQUEST_FILENAME} -f [OR]
RewriteCond %{REQUEST_FILENAME} -d
RewriteRule ^ - [L]
RewriteRule ^([_0-9a-zA-Z-]+/)?(wp-(content|admin|includes).*) $2 [L]
RewriteRule ^([_0-9a-zA-Z-]+/)?(.*\\.php)$ $2 [L]
RewriteRule . index.php [L]
`,
      'index.php': ECHO_PHP,
      'wp-login.php': ECHO_PHP,
      'wp-admin/index.php': ECHO_PHP,
      'wp-content/a.css': 'a{}',
    },
    asks: [
      [200, '/blog/'],
      [301, '/blog/wp-admin'],
      [200, '/blog/wp-admin/'],
      [200, '/blog/wp-content/a.css'],
      [200, '/blog/wp-login.php?x=1'],
      [200, '/blog/a-post/'],
    ],
  },
  {
    name: 'laravel',
    tree: {
      '.htaccess': FRAMEWORK_RULES,
      'index.php': ECHO_PHP,
      'robots.txt': 'User-agent: *',
      'build/app.js': '1',
    },
    asks: [
      [200, '/'],
      [200, '/login'],
      [301, '/login/?a=b'],
      [200, '/users/5/edit?tab=1'],
      [200, 'POST /login', { 'content-type': 'application/x-www-form-urlencoded' }, '_token=1'],
      [200, 'PUT /api/items/1', { authorization: 'Bearer t' }, '{"a":1}'],
      [200, 'DELETE /api/items/1', { authorization: 'Bearer t' }],
      [200, '/robots.txt'],
      [200, '/build/app.js'],
      [403, '/build/'],
    ],
  },
  {
    name: 'codeigniter',
    tree: {
      '.htaccess': `RewriteEngine On
RewriteCond $1 !^(index\\.php|assets|robots\\.txt)
RewriteCond %{REQUEST_FILENAME} !-f
RewriteCond %{REQUEST_FILENAME} !-d
RewriteRule ^(.*)$ index.php/$1 [L,QSA]
`,
      'index.php': ECHO_PHP,
    },
    asks: [
      [200, '/welcome/index/5?x=1'],
      [200, '/index.php/welcome'],
      [404, '/assets/missing.css'],
    ],
  },
  {
    name: 'symfony',
    tree: {
      '.htaccess': `DirectoryIndex index.php
RewriteEngine On
RewriteCond %{REQUEST_URI}::$0 ^(/.+)/(.*)::\\2$
RewriteRule .* - [E=BASE:%1]
RewriteCond %{HTTP:Authorization} .+
RewriteRule ^ - [E=HTTP_AUTHORIZATION:%0]
RewriteCond %{ENV:REDIRECT_STATUS} =""
RewriteRule ^index\\.php(?:/(.*)|$) %{ENV:BASE}/$1 [R=301,L]
RewriteCond %{REQUEST_FILENAME} !-f
RewriteRule ^ %{ENV:BASE}/index.php [L]
`,
      'index.php': ECHO_PHP,
      'a.txt': 'a',
    },
    asks: [
      [200, '/'],
      [200, '/blog/post?x=1'],
      [301, '/index.php/blog/post?x=1'],
      [301, '/index.php'],
      [200, '/a.txt'],
    ],
  },
]
