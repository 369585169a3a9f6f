import { ECHO_PHP, type CaseSite } from '../support/case-site.ts'

/** Sections that depend on the request, and paths in odd spellings. */
export const sections: CaseSite[] = [
  {
    name: 'sections',
    tree: {
      '.htaccess': `<If "%{QUERY_STRING} =~ /(?:^|&)close(?:&|$)/">
  Require all denied
</If>
<ElseIf "%{HTTP_USER_AGENT} == 'Tester'">
  Header set X-Branch elseif
</ElseIf>
<Else>
  Header set X-Branch else
</Else>
<If "%{HTTP_HOST} == 'www.sections.test'">
  Header set X-Www yes
</If>
<If "-f %{REQUEST_FILENAME} && %{REQUEST_URI} =~ m#\\.txt$#">
  Header set X-Text-File yes
</If>
<If "%{REMOTE_ADDR} -ipmatch '127.0.0.0/8' && !(%{REQUEST_METHOD} in {'POST', 'PUT'})">
  Header set X-Local-Read yes
</If>
<IfVersion >= 2.4>
  Header set X-Version new
</IfVersion>
<IfVersion < 2.4>
  Header set X-Version old
</IfVersion>
<IfDefine NOT_DEFINED>
  Header set X-Defined yes
</IfDefine>
<Files "outer.txt">
  Header set X-File outer
  <If "%{QUERY_STRING} == 'inner'">
    Header set X-File inner
  </If>
</Files>
SetEnvIfExpr "%{REQUEST_URI} =~ m#/page#" T_PAGE=yes
Header set X-Env "%{T_PAGE}e"
Header edit* X-Branch e E
Header set X-Long "a: 'b'; c"
<FilesMatch "^download">
  Header set Content-Disposition "attachment; filename=given.bin"
  ForceType application/octet-stream
</FilesMatch>
`,
      'page.html': 'page',
      'outer.txt': 'outer',
      'download-me.html': 'download',
      'echo.php': ECHO_PHP,
    },
    asks: [
      [200, '/page.html'],
      [403, '/page.html?close'],
      [200, '/page.html?closed', { 'user-agent': 'Tester' }],
      [200, '/page.html', { host: 'www.sections.test' }],
      [200, '/outer.txt'],
      [200, '/outer.txt?inner'],
      [200, '/download-me.html'],
      [200, 'POST /echo.php', {}, 'a=b'],
    ],
  },
  {
    name: 'odd-paths',
    tree: {
      '.htaccess': `RewriteEngine On
RewriteRule ^shop/(.*)$ show.php?path=$1 [B,L]
RewriteRule ^plus\\+sign$ show.php?plus=1 [L]
RewriteRule ^ümlaut$ show.php?umlaut=1 [L]
RewriteRule ^a\\ b$ show.php?blank=1 [L]
RewriteRule "^c d$" "show.php?quoted=1" [L]
RewriteRule ^to/(.*)$ /moved/$1 [R=302,L]
RewriteRule ^percent%sign$ show.php?percent=1 [L]
RewriteRule ^dollar$ show.php?price=\\$5&rate=5\\% [L]
RewriteRule ^\\.hidden-rule$ show.php?dot=1 [L]
RewriteRule ^colon:(.*)$ show.php?colon=$1 [L]
RewriteRule ^(.*)\\.old$ $1.html [R=301,L]
`,
      'show.php': ECHO_PHP,
      'page.html': 'page',
      'with space.html': 'space',
      'deep/page.html': 'deep page',
      'ü.html': 'ü',
    },
    asks: [
      [200, '/shop/a//b'],
      [200, '//shop/x'],
      [200, '/shop/../shop/x'],
      [200, '/./shop/./x'],
      [200, '/shop/a;b=c'],
      [200, '/shop/a%3Bb'],
      [200, '/shop/%D1%84'],
      [404, '/shop/a%2Fb'],
      [200, '/plus+sign'],
      [200, '/plus%2Bsign'],
      [200, '/%C3%BCmlaut'],
      [200, '/a%20b'],
      [200, '/c%20d'],
      [302, '/to/a%20b?x=%20y'],
      [302, '/to/%C3%BC'],
      [302, '/to/a+b&c'],
      [302, '/to//elsewhere.test/'],
      [200, '/percent%25sign'],
      [200, '/dollar'],
      [200, '/colon:x'],
      [301, '/page.old'],
      [200, '/with%20space.html'],
      [200, '/deep//page.html'],
      [200, '/%C3%BC.html'],
      [200, '/p%61ge.html'],
      [400, '/%zz'],
      [400, '/../../etc/passwd'],
    ],
  },
]
