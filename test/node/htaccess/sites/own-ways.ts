import { ECHO_PHP, type CaseSite } from '../support/case-site.ts'

/** Where the web server has rules of its own, whatever a site says. */
export const ownWays: CaseSite[] = [
  {
    name: 'own-ways',
    tree: {
      '.htaccess': 'Require all granted\n',
      '.env': 'APP_KEY=secret',
      '.git/config': '[core]',
      '.well-known/security.txt': 'Contact: mailto:a@own-ways.test',
      'index.php': ECHO_PHP,
      'wp-config.php.bak': '<?php // secret',
      'code.inc': '<?php // secret',
      'photo.jpg': '<?php echo "it runs";',
      'page.html': 'page',
      'open.txt': 'open',
    },
    asks: [
      [200, '/page.html'],
      [200, '/.well-known/security.txt'],
      [200, '/.env'],
      [200, '/.git/config'],
      [403, '/.htaccess'],
      [200, '/wp-config.php.bak'],
      [200, '/code.inc'],
      [200, '/photo.jpg'],
      [404, '/photo.jpg/y.php'],
      [404, '/a/route'],
      [404, '/page.html/more'],
      [405, 'PUT /open.txt', {}, 'x'],
    ],
  },
]
