import { ECHO_PHP, type CaseSite } from '../support/case-site.ts'

/** Requests whose path goes on behind a script, in a directory. */
const behind = (directory: string): CaseSite['asks'] => [
  [200, `${directory}/index.php/`],
  [200, `${directory}/index.php/foo`],
  [200, `${directory}/index.php/foo/`],
  [200, `${directory}/index.php/foo/?a=1`],
  [200, `${directory}/echo.php/foo/bar/`],
  [200, `${directory}/echo.php/page.html`],
  [200, `${directory}/echo.php/other.php`],
  [200, `${directory}/echo.php/other.php/`],
  [200, `${directory}/echo.php/.hidden`],
  [200, `${directory}/echo.php/files/.git/config`],
  [200, `${directory}/echo.php/notes.bak`],
  [200, `${directory}/echo.php/code.php.txt`],
  [200, `POST ${directory}/echo.php/foo/`, {}, 'x'],
  [200, `PUT ${directory}/echo.php/dav/.cache/`, {}, 'x'],
]

const TREE = (directory: string): Record<string, string> => ({
  [`${directory}index.php`]: ECHO_PHP,
  [`${directory}echo.php`]: ECHO_PHP,
  [`${directory}other.php`]: ECHO_PHP,
  [`${directory}page.html`]: 'page',
})

/** Paths behind scripts, with and without rules that lead to a front controller. */
export const pathInfo: CaseSite[] = [
  {
    name: 'path-info',
    tree: {
      ...TREE(''),
      ...TREE('front/'),
      ...TREE('stand-in/'),
      ...TREE('leading/'),
      ...TREE('closed/'),
      '.htaccess': 'DirectorySlash On\n',
      'front/.htaccess': `RewriteEngine On
RewriteCond %{REQUEST_FILENAME} !-f
RewriteCond %{REQUEST_FILENAME} !-d
RewriteRule ^ index.php [L]
`,
      'stand-in/.htaccess': 'FallbackResource /stand-in/index.php\n',
      'leading/.htaccess': `RewriteEngine On
RewriteCond %{REQUEST_FILENAME} !-f
RewriteRule ^(.*)$ index.php/$1 [L]
`,
      'closed/.htaccess': '<FilesMatch "\\.php$">\n  Require all denied\n</FilesMatch>\n',
      'named.php/index.html': 'a directory named like a script',
      'named.php/page.html': 'page of it',
      'photo.jpg': '<?php echo "it runs";',
    },
    asks: [
      ...behind(''),
      ...behind('/front'),
      ...behind('/stand-in'),
      ...behind('/leading'),
      [200, '/leading/a/b/'],
      [200, '/front/a/b/'],
      [200, '/stand-in/a/b/'],
      [403, '/closed/echo.php/foo/'],
      [403, '/closed/echo.php/foo'],
      [403, '/closed/index.php/'],
      [200, '/named.php/'],
      [200, '/named.php/page.html'],
      [404, '/photo.jpg/x.php/'],
      [404, '/photo.jpg/x.php/echo.php/'],
      [404, '/page.html/'],
    ],
  },
]
