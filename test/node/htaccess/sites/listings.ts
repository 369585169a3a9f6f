import { ECHO_PHP, type CaseSite } from '../support/case-site.ts'

/** Directories without an index. */
export const listings: CaseSite[] = [
  {
    name: 'listing',
    tree: {
      '.htaccess': 'Options +Indexes\nIndexIgnore .??* *.log th?s.txt\n',
      'a.txt': 'a',
      'b c & <d> "e".txt': 'b',
      'ü%41.txt': 'u',
      'x.log': 'log',
      'this.txt': 'left out',
      'run.php': ECHO_PHP,
      'sub/in.txt': 'in',
      'sub/deeper/x.txt': 'x',
      'empty/': '',
      'shut/.htaccess': 'Options -Indexes\n',
      'shut/x.txt': 'x',
      'shut/open/.htaccess':
        'Options Indexes FollowSymLinks\nIndexIgnoreReset On\nIndexIgnore .*\n',
      'shut/open/x.log': 'x',
      'plain/.htaccess': 'Options FollowSymLinks\n',
      'plain/x.txt': 'x',
      'all/.htaccess': 'Options All\n',
      'all/x.txt': 'x',
      'led/.htaccess': 'FallbackResource /run.php\n',
      'led/x.txt': 'x',
      'own/.htaccess': 'DirectoryIndex first.html\n',
      'own/first.html': 'first',
    },
    asks: [
      [200, '/'],
      [200, '/sub/'],
      [200, '/sub/?a=b'],
      [301, '/sub'],
      [200, '/sub/deeper/'],
      [200, '/empty/'],
      [403, '/shut/'],
      [200, '/shut/open/'],
      [403, '/plain/'],
      [200, '/all/'],
      [200, '/led/'],
      [200, '/own/'],
      [404, '/none/'],
    ],
  },
  {
    name: 'listing-closed',
    tree: {
      '.htaccess': `Options +Indexes
<Files "secret*">
Require all denied
</Files>
<FilesMatch "\\.(dat|sql)$">
Order allow,deny
Deny from all
</FilesMatch>
<Files "open.dat">
Order allow,deny
Allow from all
</Files>
<Files "some.txt">
Require ip 203.0.113.7
</Files>
<Files "post.txt">
<Limit POST>
Require all denied
</Limit>
</Files>
`,
      'a.txt': 'a',
      'secret.txt': 's',
      'dump.sql': 'd',
      'old.dat': 'o',
      'open.dat': 'o',
      'some.txt': 's',
      'post.txt': 'p',
      'below/.htaccess': '<Files "secret-too.txt">\nRequire all granted\n</Files>\n',
      'below/secret-too.txt': 'x',
      'below/secret.txt': 'x',
      'below/x.sql': 'x',
    },
    asks: [
      [200, '/'],
      [200, '/below/'],
      [403, '/secret.txt'],
      [200, '/below/secret-too.txt'],
    ],
  },
]
