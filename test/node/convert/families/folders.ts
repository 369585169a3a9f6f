import type { Family, FamilyAsk, TrialPlace } from '../support/family.ts'
import { ECHO } from '../support/family.ts'
import { apachePrelude, nginxPrelude } from '../support/source-server.ts'
import { commonAsks, commonTree, HIDDEN_REASON, phpTree } from './common.ts'

const treeOf = (root: string): Record<string, string> => ({
  ...commonTree(root),
  ...phpTree(root),
  [`${root}/app/association`]: '{}',
  [`${root}/raw/page.html`]: '<p>raw</p>',
  [`${root}/raw/none`]: 'raw',
  [`${root}/typed/a.berth`]: 'a',
  [`${root}/typed/none`]: 'none',
  'elsewhere/media/one.txt': 'one',
  'elsewhere/media/sub/index.html': '<p>elsewhere</p>',
  'elsewhere/media/sub/two.txt': 'two',
  'elsewhere/media/closed/three.txt': 'three',
  'elsewhere/icon.ico': 'icon',
  'elsewhere/data/pictures/four.txt': 'four',
  'elsewhere/tool/index.php': ECHO,
  'elsewhere/tool/page.php': ECHO,
  'elsewhere/tool/style.css': 'p{}',
  'elsewhere/tool/libraries/code.php': ECHO,
})

const PARAMS = `
      fastcgi_param QUERY_STRING $query_string;
      fastcgi_param REQUEST_METHOD $request_method;
      fastcgi_param SCRIPT_FILENAME $request_filename;
      fastcgi_param SCRIPT_NAME $fastcgi_script_name;
      fastcgi_param REQUEST_URI $request_uri;
      fastcgi_param SERVER_PROTOCOL $server_protocol;`

const FOLDERS: readonly FamilyAsk[] = [
  ['/media/one.txt'],
  ['/media/missing.txt'],
  ['/media/sub/'],
  ['/media/sub'],
  ['/media/sub/two.txt'],
  ['/media/closed/three.txt'],
  ['/media/../page.html'],
  ['/mediaone.txt'],
  ['/tool/'],
  ['/tool/index.php?a=1'],
  ['/tool/page.php?x'],
  ['/tool/style.css'],
  ['/tool/libraries/code.php'],
  ['/.env', { differs: [404, HIDDEN_REASON] }],
]
const PASSED: readonly FamilyAsk[] = [
  ['/api'],
  ['/api/'],
  ['/api/items/1?x=y'],
  ['/apis'],
  ['/kept/a?b=c'],
  ['/kept/out/page.html'],
  ['/fails'],
]

/** What an application answers that its server changes: redirects and cookies. */
const led = (asks: readonly (readonly [path: string, leads: string])[]): FamilyAsk[] =>
  asks.map(([path, leads]) => [path, { headers: { 'x-leads': leads } }])
const sets = (asks: readonly (readonly [path: string, cookie: string])[]): FamilyAsk[] =>
  asks.map(([path, cookie]) => [path, { headers: { 'x-sets': cookie } }])

const nginx: Family = {
  name: 'nginx with folders elsewhere, texts and PHP at a port',
  server: 'nginx',
  main: 'nginx.conf',
  host: 'parts.test',
  tree: treeOf('parts'),
  config: (place: TrialPlace) => ({
    'nginx.conf': `${nginxPrelude(place)}
  limit_req_zone $binary_remote_addr zone=slow:1m rate=1r/m;
  upstream app { server 127.0.0.1:${place.apps.web}; }
  server {
    listen 127.0.0.1:${place.port};
    server_name parts.test;
    root ${place.directory}/sites/parts;
    index index.php index.html;
    location = /health { access_log off; default_type text/plain; return 200 "ok\\n"; }
    location = /robots.txt { return 200 "User-agent: *\\nDisallow: /private/\\n"; }
    location = /version.json { return 200 '{"version":1}'; }
    location = /teapot { default_type text/plain; return 418 "short and stout"; }
    location = /created { return 202 'later'; }
    location /media/ { alias ${place.directory}/sites/elsewhere/media/; }
    location /media/closed/ { alias ${place.directory}/sites/elsewhere/media/closed/; deny all; }
    location = /favicon.ico { alias ${place.directory}/sites/elsewhere/icon.ico; }
    location /pictures/ { root ${place.directory}/sites/elsewhere/data; }
    location /tool/ {
      alias ${place.directory}/sites/elsewhere/tool/;
      location ~ \\.php$ {${PARAMS}
        fastcgi_pass 127.0.0.1:${place.phpPort};
      }
      location /tool/libraries/ { return 404; }
    }
    location /limited/ { limit_req zone=slow; return 200 "once"; }
    location ^~ /api/ { proxy_pass http://app/; proxy_hide_header X-Secret; }
    location /kept/ { proxy_pass http://app; }
    location /lifted/ { proxy_pass http://app; proxy_redirect http:// https://; }
    location /named/ {
      proxy_pass http://app;
      proxy_redirect http://app.internal/ /named/;
      proxy_redirect ~^http://(\\w+)\\.shop\\.test/(.*)$ https://$1.example.test/$2;
    }
    location /here/ { proxy_pass http://app; proxy_redirect http://$host/ https://$host/; }
    location /cookies/ {
      proxy_pass http://app;
      proxy_cookie_path / "/; HttpOnly; SameSite=Strict";
    }
    location /moved/ { proxy_pass http://app; proxy_cookie_path /inner/ /moved/; }
    location = /app/association { default_type application/json; }
    location /raw/ { types { } default_type text/plain; }
    location /typed/ { types { text/x-berth berth; } default_type text/css; }
    location / { try_files $uri $uri/ =404; }
    location ~ \\.php$ {
      try_files $uri =404;${PARAMS}
      fastcgi_pass 127.0.0.1:${place.phpPort};
    }
  }
}
`,
  }),
  asks: [
    ...commonAsks,
    ...FOLDERS,
    ...PASSED.filter(([target]) => !['/api', '/kept/out/page.html'].includes(target)),
    ['/echo.php?a=1'],
    ['/'],
    ['/health'],
    ['/health', { method: 'HEAD' }],
    ['/robots.txt'],
    ['/version.json'],
    ['/teapot'],
    ['/created'],
    ['/favicon.ico'],
    ['/pictures/four.txt'],
    ['/pictures/none.txt'],
    ...led([
      ['/lifted/a', 'http://other.test/x?y'],
      ['/lifted/a', 'https://other.test/x'],
      ['/lifted/a', '/x'],
      ['/named/a', 'http://app.internal/x/y?z'],
      ['/named/a', 'http://app.internal.test/x'],
      ['/named/a', 'http://toys.shop.test/x?y'],
      ['/named/a', 'http://other.test/'],
      ['/here/a', 'http://parts.test/x'],
      ['/here/a', 'http://other.test/x'],
    ]),
    ...sets([
      ['/cookies/', 'a=b; Path=/'],
      ['/cookies/', 'a=b; Max-Age=3; path=/cookies/in'],
      ['/cookies/', 'a=b'],
      ['/moved/', 'a=b; Path=/inner/x; Secure'],
      ['/moved/', 'a=b; Path=/other'],
    ]),
    ['/app/association'],
    ['/raw/page.html'],
    ['/raw/none'],
    ['/typed/a.berth'],
    ['/typed/none'],
    ['/limited/x'],
    ['/limited/x', { differs: [429, 'Who asks too often is told so, and not that it is broken.'] }],
  ],
}

const apache: Family = {
  name: 'Apache with folders elsewhere, several applications and PHP at a port',
  server: 'apache',
  main: 'httpd.conf',
  host: 'parts.test',
  tree: treeOf('parts'),
  config: (place: TrialPlace) => ({
    'httpd.conf': `${apachePrelude(place)}
<VirtualHost *:${place.port}>
  ServerName parts.test
  DocumentRoot ${place.directory}/sites/parts
  DirectoryIndex index.php index.html
  <FilesMatch "\\.php$">
    SetHandler "proxy:fcgi://127.0.0.1:${place.phpPort}"
  </FilesMatch>
  <Directory ${place.directory}/sites/parts>
    Require all granted
  </Directory>
  Alias /media/ ${place.directory}/sites/elsewhere/media/
  <Directory ${place.directory}/sites/elsewhere/media>
    Options -Indexes
    Require all granted
    Header set X-Media yes
  </Directory>
  <Directory ${place.directory}/sites/elsewhere/media/closed>
    Require all denied
  </Directory>
  Alias /icons-of-ours ${place.directory}/sites/elsewhere
  Alias /tool ${place.directory}/sites/elsewhere/tool
  <Directory ${place.directory}/sites/elsewhere/tool>
    DirectoryIndex index.php
    Require all granted
    <FilesMatch "^none">
      Require all denied
    </FilesMatch>
  </Directory>
  <Directory ${place.directory}/sites/elsewhere/tool/libraries>
    Require all denied
  </Directory>
  RewriteEngine On
  RewriteRule ^/by-rule/([0-9]+)$ http://127.0.0.1:${place.apps.stream}/rule/$1 [P]
  <Proxy balancer://main>
    BalancerMember http://127.0.0.1:${place.apps.stream}
  </Proxy>
  ProxyPass /kept/out !
  ProxyPass /kept http://127.0.0.1:${place.apps.web}/kept timeout=20
  ProxyPass /api http://127.0.0.1:${place.apps.web}/v1
  ProxyPassReverse /api http://127.0.0.1:${place.apps.web}/v1
  ProxyPassReverse /kept http://127.0.0.1:${place.apps.web}/kept
  ProxyPassReverse /kept http://app.internal/inner
  ProxyPassReverse / http://copy.test/
  ProxyPassReverseCookiePath /inner /kept
  ProxyPass /stream/ balancer://main/stream/
  ProxyPassMatch ^/match/([a-z]+)$ http://127.0.0.1:${place.apps.stream}/found/$1
  <Location "/shut">
    ProxyPass http://127.0.0.1:${place.apps.web}/shut
    Require ip 10.9.8.7
  </Location>
  <Location "/cut-shut">
    ProxyPass http://127.0.0.1:${place.apps.web}/
    Require ip 10.9.8.7
  </Location>
</VirtualHost>
`,
  }),
  asks: [
    ...commonAsks,
    ...FOLDERS,
    ...PASSED,
    ['/tool/none.php'],
    ['/echo.php?a=1'],
    ['/'],
    ['/icons-of-ours/icon.ico'],
    ['/stream/a?b'],
    ['/match/abc'],
    ['/match/ABC'],
    ['/by-rule/12?x=1'],
    ['/by-rule/x'],
    ['/shut'],
    ['/shut/in'],
    ['/cut-shut'],
    ['/cut-shut/in'],
    ...led([
      ['/api/', 'OWN/v1/x?y'],
      ['/api/', 'OWN/v1'],
      ['/kept/', 'OWN/kept/x'],
      ['/kept/', '/kept/x'],
      ['/kept/', 'http://other.test/kept/x'],
      ['/kept/', 'http://app.internal/inner/x?y'],
      ['/kept/', 'http://copy.test/x/y'],
      ['/kept/', 'http://copy.test.test/x'],
    ]),
    ...sets([
      ['/kept/', 'a=b; path=/inner/x; Secure'],
      ['/kept/', 'a=b; path=/other'],
    ]),
  ],
}

export const folderFamilies: readonly Family[] = [nginx, apache]
