import { ECHO_PHP, type CaseSite } from '../support/case-site.ts'

const basic = (user: string, password: string): Record<string, string> => ({
  authorization: `Basic ${btoa(`${user}:${password}`)}`,
})

/** Who may: `Require`, the older `Order`/`Allow`/`Deny`, passwords, `Files`. */
export const access: CaseSite[] = [
  {
    name: 'access',
    tree: {
      '.htaccess': '# nothing\n',
      'index.html': 'open',
      'denied/.htaccess': 'Require all denied\n',
      'denied/a.html': 'a',
      'denied/open/.htaccess': 'Require all granted\n',
      'denied/open/a.html': 'a',
      'ip/.htaccess': 'Require ip 127.0.0.1\n',
      'ip/a.html': 'a',
      'net/.htaccess': 'Require ip 10.0.0.0/8 192.168.0.0/255.255.0.0\n',
      'net/a.html': 'a',
      'net-partial/.htaccess': 'Require ip 127.0\n',
      'net-partial/a.html': 'a',
      'local/.htaccess': 'Require local\n',
      'local/a.html': 'a',
      'not/.htaccess':
        '<RequireAll>\n  Require all granted\n  Require not ip 127.0.0.1\n</RequireAll>\n',
      'not/a.html': 'a',
      'any/.htaccess': '<RequireAny>\n  Require ip 10.1.1.1\n  Require local\n</RequireAny>\n',
      'any/a.html': 'a',
      'none/.htaccess':
        '<RequireAll>\n  Require all granted\n  <RequireNone>\n    Require ip 10.0.0.1\n  </RequireNone>\n</RequireAll>\n',
      'none/a.html': 'a',
      'env/.htaccess': 'SetEnvIf User-Agent "Good" T_GOOD\nRequire env T_GOOD\n',
      'env/a.html': 'a',
      'method/.htaccess': 'Require method GET HEAD\n',
      'method/a.php': ECHO_PHP,
      'expr/.htaccess': `Require expr "%{QUERY_STRING} == 'open'"\n`,
      'expr/a.html': 'a',
      'old-deny/.htaccess': 'Order allow,deny\nDeny from all\n',
      'old-deny/a.html': 'a',
      'old-allow/.htaccess': 'Order deny,allow\nDeny from all\nAllow from 127.0.0.1\n',
      'old-allow/a.html': 'a',
      'old-block/.htaccess': 'Order allow,deny\nAllow from all\nDeny from 127.0.0.0/8\n',
      'old-block/a.html': 'a',
      'old-env/.htaccess':
        'SetEnvIfNoCase User-Agent "evil" bad_bot\nOrder Allow,Deny\nAllow from all\nDeny from env=bad_bot\n',
      'old-env/a.html': 'a',
      'old-default/.htaccess': 'Order deny,allow\n',
      'old-default/a.html': 'a',
      'old-closed/.htaccess': 'Order allow,deny\n',
      'old-closed/a.html': 'a',
      'files/.htaccess': `<Files "secret.txt">
  Require all denied
</Files>
<FilesMatch "\\.(?:inc|conf|bak)$">
  Order allow,deny
  Deny from all
</FilesMatch>
<Files ~ "^hidden-">
  Require all denied
</Files>
<Files "*.log">
  Require all denied
</Files>
`,
      'files/secret.txt': 's',
      'files/open.txt': 'o',
      'files/a.conf': 's',
      'files/hidden-a.txt': 's',
      'files/error.log': 's',
      'files/deeper/secret.txt': 's',
      'files/deeper/.htaccess': '<Files "secret.txt">\n  Require all granted\n</Files>\n',
      'limit/.htaccess': '<Limit POST PUT>\n  Require all denied\n</Limit>\n',
      'limit/a.php': ECHO_PHP,
      'except/.htaccess': '<LimitExcept GET HEAD>\n  Require all denied\n</LimitExcept>\n',
      'except/a.php': ECHO_PHP,
      'page/.htaccess': 'Require all denied\nErrorDocument 403 "Closed today."\n',
      'page/a.html': 'a',
    },
    asks: [
      [200, '/'],
      [403, '/denied/a.html'],
      [403, '/denied/missing.html'],
      [403, '//denied/a.html'],
      [403, '/denied//a.html'],
      [403, '/denied/./a.html'],
      [403, '/denied/open/../a.html'],
      [403, '/%64enied/a.html'],
      [200, '/denied/open/a.html'],
      [200, '/ip/a.html'],
      [403, '/net/a.html'],
      [200, '/net-partial/a.html'],
      [200, '/local/a.html'],
      [403, '/not/a.html'],
      [200, '/any/a.html'],
      [200, '/none/a.html'],
      [403, '/env/a.html'],
      [200, '/env/a.html', { 'user-agent': 'Good browser' }],
      [200, '/method/a.php'],
      [403, 'POST /method/a.php', {}, 'x'],
      [403, '/expr/a.html'],
      [200, '/expr/a.html?open'],
      [403, '/old-deny/a.html'],
      [200, '/old-allow/a.html'],
      [403, '/old-block/a.html'],
      [200, '/old-env/a.html', { 'user-agent': 'nice' }],
      [403, '/old-env/a.html', { 'user-agent': 'very EVIL' }],
      [200, '/old-default/a.html'],
      [403, '/old-closed/a.html'],
      [403, '/files/secret.txt'],
      [200, '/files/open.txt'],
      [403, '/files/a.conf'],
      [403, '/files/hidden-a.txt'],
      [403, '/files/error.log'],
      [200, '/files/deeper/secret.txt'],
      [200, '/limit/a.php'],
      [403, 'POST /limit/a.php', {}, 'x'],
      [200, '/except/a.php'],
      [403, 'POST /except/a.php', {}, 'x'],
      [403, '/page/a.html'],
      [403, '/.htaccess'],
    ],
  },
  {
    name: 'password',
    tree: {
      'passwords/.htaccess': 'Require all denied\n',
      // ann:secret as MD5 of Apache, bob:hunter2 as bcrypt, carl:sha1pass as SHA-1,
      // dora:sixsecret as SHA-512 of crypt(3).
      'passwords/users.txt': `ann:$apr1$abcdefgh$h9FWgUz3n9YxylKLlR5SQ/
bob:$2y$05$ThJ7BrsyJaXEmMMmsNM0LOPbxeDJrcLMlZao8yu1kH9HXPfM.hEHq
carl:{SHA}s3lY8hvguXyCP2PMxFsSNoI1V18=
dora:$6$abcdefgh$VGnIKsqcSViME2bEPqjDv2WOm1AWsXLnrPysCmwXxfMtpsl79LFUgyKg63lb72449mNBOBjAX.HtrPIe6WIx80
`,
      'passwords/groups.txt': 'staff: ann carl\nguests: bob\n',
      'all/.htaccess':
        'AuthType Basic\nAuthName "Members only"\nAuthUserFile {root}/passwords/users.txt\nRequire valid-user\n',
      'all/a.html': 'a',
      'all/who.php': ECHO_PHP,
      'one/.htaccess':
        'AuthType Basic\nAuthName One\nAuthUserFile {root}/passwords/users.txt\nRequire user bob\n',
      'one/a.html': 'a',
      'group/.htaccess':
        'AuthType Basic\nAuthName "Staff"\nAuthUserFile {root}/passwords/users.txt\nAuthGroupFile {root}/passwords/groups.txt\nRequire group staff\n',
      'group/a.html': 'a',
      'any/.htaccess':
        'AuthType Basic\nAuthName Any\nAuthUserFile {root}/passwords/users.txt\n<RequireAny>\n  Require ip 127.0.0.1\n  Require valid-user\n</RequireAny>\n',
      'any/a.html': 'a',
      'satisfy/.htaccess':
        'AuthType Basic\nAuthName Old\nAuthUserFile {root}/passwords/users.txt\nRequire valid-user\nOrder deny,allow\nDeny from all\nAllow from 127.0.0.1\nSatisfy Any\n',
      'satisfy/a.html': 'a',
      'lost/.htaccess':
        'AuthType Basic\nAuthName Lost\nAuthUserFile {root}/passwords/nothing.txt\nRequire valid-user\n',
      'lost/a.html': 'a',
      'file/.htaccess':
        '<Files "login.html">\n  AuthType Basic\n  AuthName "Login"\n  AuthUserFile {root}/passwords/users.txt\n  Require valid-user\n</Files>\n',
      'file/login.html': 'login',
      'file/open.html': 'open',
      'all/open/.htaccess': 'Require all granted\n',
      'all/open/a.html': 'a',
      'rewritten/.htaccess':
        'AuthType Basic\nAuthName "Re"\nAuthUserFile {root}/passwords/users.txt\nRequire valid-user\nRewriteEngine On\nRewriteRule ^route$ /all/who.php?routed=1 [L]\nErrorDocument 401 "Please sign in."\n',
    },
    asks: [
      [401, '/all/a.html'],
      [200, '/all/a.html', basic('ann', 'secret')],
      [200, '/all/a.html', basic('bob', 'hunter2')],
      [200, '/all/a.html', basic('carl', 'sha1pass')],
      [200, '/all/a.html', basic('dora', 'sixsecret')],
      [401, '/all/a.html', basic('ann', 'wrong')],
      [401, '/all/a.html', basic('nobody', 'secret')],
      [401, '/all/a.html', { authorization: 'Basic !!!' }],
      [401, '/all/a.html', { authorization: 'Bearer abc' }],
      [200, '/all/who.php', basic('ann', 'secret')],
      [401, '/all/missing'],
      [404, '/all/missing', basic('ann', 'secret')],
      [200, '/all/open/a.html'],
      [401, '/one/a.html', basic('ann', 'secret')],
      [200, '/one/a.html', basic('bob', 'hunter2')],
      [200, '/group/a.html', basic('carl', 'sha1pass')],
      [401, '/group/a.html', basic('bob', 'hunter2')],
      [200, '/any/a.html'],
      [200, '/satisfy/a.html'],
      [500, '/lost/a.html', basic('ann', 'secret')],
      [401, '/file/login.html'],
      [200, '/file/login.html', basic('ann', 'secret')],
      [200, '/file/open.html'],
      [401, '/rewritten/route'],
      [200, '/rewritten/route', basic('ann', 'secret')],
      [403, '/passwords/users.txt'],
    ],
  },
]
