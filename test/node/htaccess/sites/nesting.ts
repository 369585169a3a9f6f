import { ECHO_PHP, type CaseSite } from '../support/case-site.ts'

/** Files in several directories, `RewriteBase`, inheritance, and files that are wrong. */
export const nesting: CaseSite[] = [
  {
    name: 'nested',
    tree: {
      '.htaccess': `RewriteEngine On
RewriteRule ^top$ top.html [L]
RewriteRule ^child/from-top$ /top.html [L]
RewriteRule ^bare/from-top$ /top.html [L]
Header set X-Level top
Header set X-Top top
ErrorDocument 404 "top 404"
`,
      'top.html': 'top',
      'bare/a.html': 'a',
      'child/.htaccess': `RewriteEngine On
RewriteRule ^here$ child.html [L]
RewriteRule ^up$ ../top.html [L]
RewriteRule ^abs$ /top.html [L]
RewriteRule ^redirect$ child.html [R=302,L]
Header set X-Level child
ErrorDocument 404 "child 404"
`,
      'child/child.html': 'child',
      'child/deep/a.html': 'deep',
      'child/deep/.htaccess': 'Header unset X-Level\nHeader set X-Deep yes\n',
      'off/.htaccess': 'RewriteEngine Off\n',
      'off/top': 'a file named top',
      'inherit/.htaccess':
        'RewriteEngine On\nRewriteOptions Inherit\nRewriteRule ^own$ own.html [L]\n',
      'inherit/own.html': 'own',
      'inherit/top.html': 'inherited',
      'based/.htaccess':
        'RewriteEngine On\nRewriteBase /child/\nRewriteRule ^go$ child.html [L]\nRewriteRule ^move$ child.html [R=302,L]\n',
      'front/.htaccess':
        'RewriteEngine On\nRewriteBase /front/\nRewriteCond %{REQUEST_FILENAME} !-f\nRewriteCond %{REQUEST_FILENAME} !-d\nRewriteRule . index.php [L]\n',
      'front/index.php': ECHO_PHP,
      'front/a.txt': 'a',
      'dir/.htaccess': 'RewriteEngine On\nRewriteRule ^$ welcome.html [L]\n',
      'dir/welcome.html': 'welcome',
      'dir/index.html': 'index',
    },
    asks: [
      [200, '/top'],
      [404, '/child/from-top'],
      [200, '/bare/from-top'],
      [200, '/bare/a.html'],
      [404, '/bare/missing'],
      [200, '/child/here'],
      [200, '/child/up'],
      [200, '/child/abs'],
      [302, '/child/redirect'],
      [404, '/child/missing'],
      [200, '/child/deep/a.html'],
      [404, '/child/deep/missing'],
      [200, '/off/top'],
      [200, '/inherit/own'],
      [200, '/inherit/top'],
      [200, '/based/go'],
      [302, '/based/move'],
      [200, '/front/'],
      [200, '/front/some/route?a=b'],
      [200, '/front/a.txt'],
      [301, '/front'],
      [200, '/dir/'],
      [301, '/dir'],
    ],
  },
  {
    name: 'broken',
    tree: {
      'index.html': 'fine',
      'unknown/.htaccess': 'NoSuchDirective on\n',
      'unknown/a.html': 'a',
      'unclosed/.htaccess': '<Files "a.html">\nRequire all denied\n',
      'unclosed/a.html': 'a',
      'pattern/.htaccess': 'RewriteEngine On\nRewriteRule ^( a.html\n',
      'pattern/a.html': 'a',
      'flag/.htaccess': 'RewriteEngine On\nRewriteRule ^x$ a.html [WRONG]\n',
      'flag/a.html': 'a',
      'arguments/.htaccess': 'RewriteEngine On\nRewriteRule ^x$\n',
      'arguments/a.html': 'a',
      'switch/.htaccess': 'RewriteEngine Maybe\n',
      'switch/a.html': 'a',
      'section/.htaccess': '<Directory /tmp>\nRequire all denied\n</Directory>\n',
      'section/a.html': 'a',
      'mismatch/.htaccess': '<IfModule mod_rewrite.c>\n</Files>\n',
      'mismatch/a.html': 'a',
      'server-only/.htaccess': 'DocumentRoot /tmp\n',
      'server-only/a.html': 'a',
      'require/.htaccess': 'Require nonsense here\n',
      'require/a.html': 'a',
      'redirect/.htaccess': 'Redirect 301 /x\n',
      'redirect/a.html': 'a',
      'status/.htaccess': 'Redirect 999 /x /y\n',
      'status/a.html': 'a',
      'header/.htaccess': 'Header explode X-A b\n',
      'header/a.html': 'a',
      'expires/.htaccess': 'ExpiresActive On\nExpiresDefault "tomorrow"\n',
      'expires/a.html': 'a',
      'order/.htaccess': 'Order first,last\n',
      'order/a.html': 'a',
      'loop/.htaccess': 'RewriteEngine On\nRewriteRule ^(.*)$ x/$1\n',
      'loop/a.html': 'a',
      'inside/.htaccess': '<IfModule mod_absent.c>\nNoSuchDirective on\n</IfModule>\n',
      'inside/a.html': 'a',
      'inner/child/.htaccess': 'NoSuchDirective on\n',
      'inner/child/a.html': 'a',
      'inner/a.html': 'a',
      'continued/.htaccess':
        '# a comment that goes \\\n  on\nHeader set X-Long "one \\\ntwo"\n\n   Header   set   X-Blank   three\t\n',
      'continued/a.html': 'a',
      'dos/.htaccess': 'RewriteEngine On\r\nRewriteRule ^x$ a.html [L]\r\n',
      'dos/a.html': 'a',
      'case/.htaccess':
        'rewriteengine ON\nREWRITERULE ^x$ a.html [l]\n<ifmodule mod_headers.c>\nheader SET X-Case yes\n</IFMODULE>\n',
      'case/a.html': 'a',
      'cond-alone/.htaccess': 'RewriteEngine On\nRewriteCond %{HTTPS} off\n',
      'cond-alone/a.html': 'a',
      'bad-require/.htaccess': 'Require ip 999.1.1.1\n',
      'bad-require/a.html': 'a',
    },
    asks: [
      [200, '/'],
      [500, '/unknown/a.html'],
      [500, '/unknown/missing.html'],
      [500, '/unclosed/a.html'],
      [500, '/pattern/a.html'],
      [500, '/flag/a.html'],
      [500, '/arguments/a.html'],
      [500, '/switch/a.html'],
      [500, '/section/a.html'],
      [500, '/mismatch/a.html'],
      [500, '/server-only/a.html'],
      [500, '/require/a.html'],
      [301, '/redirect/a.html'],
      [500, '/status/a.html'],
      [500, '/header/a.html'],
      [500, '/expires/a.html'],
      [500, '/order/a.html'],
      [500, '/loop/a.html'],
      [200, '/inside/a.html'],
      [500, '/inner/child/a.html'],
      [200, '/inner/a.html'],
      [200, '/continued/a.html'],
      [200, '/dos/x'],
      [200, '/case/x'],
      [200, '/cond-alone/a.html'],
      [500, '/bad-require/a.html'],
    ],
  },
]
