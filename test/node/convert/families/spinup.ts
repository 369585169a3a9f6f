import type { Family, FamilyAsk } from '../support/family.ts'
import { nginxPrelude } from '../support/source-server.ts'
import { commonAsks, commonTree, HIDDEN_REASON, phpAsks, phpTree } from './common.ts'

const params = `
fastcgi_param QUERY_STRING $query_string;
fastcgi_param REQUEST_METHOD $request_method;
fastcgi_param SCRIPT_FILENAME $realpath_root$fastcgi_script_name;
fastcgi_param SCRIPT_NAME $fastcgi_script_name;
fastcgi_param REQUEST_URI $request_uri;
fastcgi_param DOCUMENT_ROOT $realpath_root;
fastcgi_param SERVER_PROTOCOL $server_protocol;
`
const secure = (asks: readonly FamilyAsk[]): FamilyAsk[] =>
  asks.map(([target, options]): FamilyAsk => [target, { secure: true, ...options }])

/** WordPress behind nginx's page cache, one file for each concern, as SpinupWP writes them. */
export const spinup: Family = {
  name: 'nginx as SpinupWP writes it',
  server: 'nginx',
  main: 'nginx.conf',
  host: 'press.test',
  tree: {
    ...commonTree('press/public'),
    ...phpTree('press/public'),
    'press/public/dump.sql': 'secret',
    'press/public/wp-content/plugins/a.php': '<?php echo "plugin";',
    'press/public/feed.xml': '<a/>',
    'press/public/font.woff2': 'font',
  },
  config: (place) => ({
    fastcgi_params: params,
    'site/server/fastcgi-cache.conf': `set $skip_cache 0;
if ($request_method = POST) { set $skip_cache 1; }
if ($query_string != "") { set $skip_cache 1; }
if ($request_uri ~* "/wp-admin/|/wp-json/|/xmlrpc.php|wp-.*.php|/feed/|index.php|sitemap(_index)?.xml") { set $skip_cache 1; }
if ($http_cookie ~* "comment_author|wordpress_[a-f0-9]+|wp-postpass|wordpress_no_cache|wordpress_logged_in") { set $skip_cache 1; }
`,
    'site/server/exclusions.conf': `location ~* /\\.(?!well-known\\/) { deny all; }
location ~* (?:\\.(?:bak|conf|dist|fla|in[ci]|log|psd|sh|sql|sw[op])|~)$ { deny all; }
location ~* /(?:uploads|files)/.*\\.php$ { deny all; }
`,
    'site/server/security.conf': `server_tokens off;
add_header X-Frame-Options "SAMEORIGIN" always;
add_header X-Content-Type-Options "nosniff" always;
add_header Referrer-Policy "no-referrer-when-downgrade" always;
`,
    'site/server/static-files.conf': `location ~* \\.(?:manifest|appcache|html?|xml|json)$ { expires 0; }
location ~* \\.(?:rss|atom)$ { expires 1h; }
location ~* \\.(?:jpg|jpeg|gif|png|ico|cur|gz|svg|mp4|ogg|webm|htc|webp)$ { expires 1y; access_log off; }
location ~* \\.(?:css|js)$ { expires 1y; access_log off; }
location ~* \\.(?:eot|ttf|woff|woff2)$ {
  expires 1y;
  access_log off;
  add_header Access-Control-Allow-Origin *;
}
`,
    'nginx.conf': `${nginxPrelude(place)}
  map $host $upstream {
    default unix:${place.socket};
    www.press.test unix:${place.socket};
  }
  server {
    listen 127.0.0.1:${place.sslPort} ssl http2;
    server_name press.test;
    root ${place.directory}/sites/press/public;
    ssl_certificate ${place.certificate};
    ssl_certificate_key ${place.key};
    index index.php;
    include ${place.directory}/etc/site/server/*.conf;
    location / { try_files $uri $uri/ /index.php?$args; }
    location ~ \\.php$ {
      try_files $uri =404;
      include ${place.directory}/etc/fastcgi_params;
      fastcgi_pass $upstream;
      fastcgi_cache_bypass $skip_cache;
      fastcgi_no_cache $skip_cache;
    }
    rewrite ^/robots.txt$ /index.php last;
  }
  server {
    listen 127.0.0.1:${place.sslPort} ssl http2;
    server_name www.press.test;
    ssl_certificate ${place.certificate};
    ssl_certificate_key ${place.key};
    return 301 https://press.test$request_uri;
  }
  server {
    listen 127.0.0.1:${place.port};
    server_name press.test www.press.test;
    return 301 https://press.test$request_uri;
  }
}
`,
  }),
  asks: [
    ...secure(commonAsks),
    ...secure(phpAsks),
    ...secure([
      ['/'],
      ['/a-post/'],
      ['/a-post/?x=1&y=2'],
      ['/wp-content/plugins/a.php'],
      ['/uploads/evil.php'],
      ['/dump.sql'],
      ['/feed.xml'],
      ['/font.woff2'],
      ['/missing.css'],
      ['/robots.txt'],
      ['/.env', { differs: [404, HIDDEN_REASON] }],
      ['/page.html', { host: 'www.press.test' }],
    ]),
    ['/page.html?a=b'],
    ['/page.html?a=b', { host: 'www.press.test' }],
  ],
}
