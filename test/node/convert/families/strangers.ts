import type { Family, FamilyAsk, TrialPlace } from '../support/family.ts'
import { nginxPrelude } from '../support/source-server.ts'
import { commonAsks, commonTree, HIDDEN_REASON } from './common.ts'

const secure = (asks: readonly FamilyAsk[]): FamilyAsk[] =>
  asks.map(([target, options]): FamilyAsk => [target, { secure: true, ...options }])

/** Paths that an application would be given in another spelling than a file has, left out. */
const spelled = (asks: readonly FamilyAsk[]): FamilyAsk[] =>
  asks.filter(([target]) => !/\.\.|%70|\/\//.test(target))

const treeOf = (root: string): Record<string, string> => ({
  ...commonTree(root),
  [`${root}/assets/app.js`]: 'let app',
  [`${root}/packs/media.css`]: 'a{}',
  [`${root}/emoji/1f600.svg`]: '<svg/>',
  [`${root}/sw.js`]: 'let worker',
  [`${root}/500.html`]: '<p>broken</p>',
  [`${root}/uploads/a.png`]: 'png',
})

const FORWARDED = `
      proxy_set_header Host $host;
      proxy_set_header X-Real-IP $remote_addr;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
      proxy_set_header X-Forwarded-Proto $scheme;`

const certificate = (place: TrialPlace): string => `ssl_certificate ${place.certificate};
    ssl_certificate_key ${place.key};
    ssl_session_timeout 5m;
    ssl_protocols TLSv1.2 TLSv1.3;
    ssl_prefer_server_ciphers on;`

const toHttps = (place: TrialPlace, names: string): string => `
  server {
    listen 127.0.0.1:${place.port};
    server_name ${names};
    location / { return 301 https://$host$request_uri; }
  }`

/** nginx of Plesk before its Apache: some files by itself, all else passed on. */
const plesk: Family = {
  name: 'nginx as Plesk puts it before Apache',
  server: 'nginx',
  main: 'nginx.conf',
  host: 'front.test',
  tree: treeOf('vhosts/front.test/httpdocs'),
  config: (place) => {
    const root = `${place.directory}/sites/vhosts/front.test/httpdocs`
    return {
      'nginx.conf': `${nginxPrelude(place)}
  include conf.d/*.conf;
}
`,
      'conf.d/front.conf': `
server {
  listen 127.0.0.1:${place.sslPort} ssl http2;
  server_name front.test www.front.test ipv4.front.test;
  ${certificate(place)}
  client_max_body_size 128m;
  proxy_read_timeout 60;
  root "${root}";
  access_log "${place.directory}/proxy_access_ssl_log";
  error_log "${place.directory}/proxy_error_log";

  location ^~ /plesk-stat/ { deny all; }
  location ^~ /plesk-site-preview/ { return 404; }
  location ~ /\\.ht { deny all; }
  location ~ ^/(?!.well-known/)(.*\\.(?:css|js|jpg|png|svg|woff2))$ {
    expires 7d;
    try_files $uri @fallback;
  }
  location @fallback {
    proxy_pass http://127.0.0.1:${place.apps.web};${FORWARDED}
    proxy_set_header X-Own fallback;
    proxy_set_header X-Accel-Internal /internal-nginx-static-location;
    access_log off;
  }
  location ~ ^/(.*\\.(?:jsonx|rss))$ {
    proxy_pass http://127.0.0.1:${place.apps.stream};${FORWARDED}
  }
  location / {
    proxy_pass http://127.0.0.1:${place.apps.web};${FORWARDED}
    proxy_set_header X-Own all;
    access_log off;
  }
}
server {
  listen 127.0.0.1:${place.port};
  server_name front.test www.front.test ipv4.front.test;
  client_max_body_size 128m;
  location / { return 301 https://$host$request_uri; }
}
`,
    }
  },
  asks: [
    ...secure(spelled(commonAsks)),
    ...secure([
      ['/'],
      ['/index.php?a=1'],
      ['/shop/cart', { method: 'POST' }],
      ['/assets/app.js'],
      ['/assets/gone.js'],
      ['/emoji/1f600.svg'],
      ['/uploads/a.png'],
      ['/feed.rss?x=1'],
      ['/plesk-stat/webstat/'],
      ['/.htaccess', { differs: [404, HIDDEN_REASON] }],
      ['/plesk-site-preview/x'],
      ['/fails'],
      ['/wp-login.php', { host: 'www.front.test' }],
      ['/a%20b/c'],
    ]),
    ['/'],
    ['/page?x=1', { host: 'www.front.test' }],
    ['/deep/er', { host: 'ipv4.front.test' }],
  ],
}

/** nginx of cPanel as a reverse proxy, with names of upstreams and variables of its own. */
const cpanel: Family = {
  name: 'nginx as cPanel puts it before Apache',
  server: 'nginx',
  main: 'nginx.conf',
  host: 'user.test',
  tree: treeOf('home/user/public_html'),
  config: (place) => ({
    'nginx.conf': `${nginxPrelude(place)}
  upstream apache_backend_http_127_0_0_1 { server 127.0.0.1:${place.apps.web}; keepalive 32; }
  map $http_upgrade $connection_upgrade { default upgrade; '' close; }
  map $host $CPANEL_SKIP_PROXY_CACHE { default 0; }
  include conf.d/users/*.conf;
}
`,
    'conf.d/users/user.conf': `
server {
  server_name user.test www.user.test mail.user.test;
  listen 127.0.0.1:${place.port};
  listen 127.0.0.1:${place.sslPort} ssl;
  http2_push_preload on;
  ${certificate(place)}
  include conf.d/includes/headers;
  root "${place.directory}/sites/home/user/public_html";
  location /cpanelwebcall { proxy_pass http://127.0.0.1:${place.apps.stream}/cpanelwebcall; }
  location /Microsoft-Server-ActiveSync { proxy_pass http://127.0.0.1:${place.apps.stream}/Microsoft-Server-ActiveSync; }
  location = /favicon.ico {
    allow all;
    log_not_found off;
    access_log off;
    include conf.d/includes/proxy;
    proxy_pass http://apache_backend_http_127_0_0_1;
  }
  location ~ ^/(?:uploads|emoji)/ { expires 1h; }
  location / {
    proxy_cache_bypass $CPANEL_SKIP_PROXY_CACHE;
    include conf.d/includes/proxy;
    proxy_pass http://apache_backend_http_127_0_0_1;
  }
}
`,
    'conf.d/includes/headers': 'add_header X-Frame-Options SAMEORIGIN;\n',
    'conf.d/includes/proxy': `proxy_http_version 1.1;
proxy_set_header Connection $connection_upgrade;
proxy_set_header Upgrade $http_upgrade;${FORWARDED}
proxy_set_header X-Own cpanel;
`,
  }),
  asks: [
    ...secure(spelled(commonAsks)),
    ...secure([
      ['/'],
      ['/index.php?a=1&b=%20'],
      ['/post', { method: 'POST' }],
      ['/favicon.ico'],
      ['/uploads/a.png'],
      ['/uploads/gone.png'],
      ['/emoji/1f600.svg'],
      ['/cpanelwebcall/abc'],
      ['/Microsoft-Server-ActiveSync?Cmd=x'],
      ['/fails'],
      ['/.env'],
    ]),
    ['/', { host: 'mail.user.test' }],
    ['/plain?x'],
    ['/plain', { host: 'www.user.test' }],
    ['/uploads/a.png'],
  ],
}

/** GitLab's own nginx: one application, pages of errors, and paths with limits of their own. */
const gitlab: Family = {
  name: 'nginx as GitLab has it',
  server: 'nginx',
  main: 'nginx.conf',
  host: 'git.test',
  tree: treeOf('gitlab/public'),
  config: (place) => ({
    'nginx.conf': `${nginxPrelude(place)}
  server_tokens off;
  map $http_upgrade $connection_upgrade { default upgrade; '' close; }
  map $request_uri $temp_request_uri_1 { default $request_uri; ~(?i)^(?<start>.*)token=[^&]* $start; }
  upstream gitlab-workhorse { server 127.0.0.1:${place.apps.web}; }
  ${toHttps(place, 'git.test')}
  server {
    listen 127.0.0.1:${place.sslPort} ssl;
    server_name git.test;
    client_max_body_size 0;
    ${certificate(place)}
    if ($http_host = "") { set $http_host_with_default "git.test"; }
    if ($http_host != "") { set $http_host_with_default $http_host; }
    gzip on;
    gzip_static on;
    proxy_read_timeout 3600;
    proxy_connect_timeout 300;
    proxy_redirect off;
    proxy_http_version 1.1;
    proxy_set_header Host $host;
    proxy_set_header X-Real-IP $remote_addr;
    proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
    proxy_set_header X-Forwarded-Proto https;
    proxy_set_header X-Forwarded-Ssl on;
    proxy_set_header X-Own git;
    error_page 422 /500.html;
    root ${place.directory}/sites/gitlab/public;
    location ~ (/api/v\\d/jobs/\\d+/artifacts$|\\.git/git-receive-pack$|\\.git/gitlab-lfs/objects$) {
      client_max_body_size 0;
      proxy_request_buffering off;
      proxy_pass http://gitlab-workhorse;
    }
    location ^~ /-/metrics { deny all; }
    location ~ ^/(500)(-custom)?\\.html$ { internal; }
    location /uploads/ { expires 1d; }
    location = /robots.txt { return 200 "User-agent: *\\nDisallow: /\\n"; }
    location / { proxy_pass http://gitlab-workhorse; }
  }
}
`,
  }),
  asks: [
    ...secure(spelled(commonAsks)),
    ...secure([
      ['/'],
      ['/group/project.git/info/refs?service=git-upload-pack'],
      ['/group/project.git/git-receive-pack', { method: 'POST' }],
      ['/api/v4/jobs/12/artifacts', { method: 'PUT' }],
      ['/api/v4/projects/group%2Fproject'],
      ['/-/metrics'],
      ['/-/metrics/db'],
      ['/-/health'],
      ['/500.html'],
      ['/uploads/a.png'],
      ['/uploads/gone.png'],
      ['/robots.txt'],
      ['/users/sign_in?token=abc'],
      ['/fails'],
    ]),
    ['/'],
    ['/group/project?x=1'],
  ],
}

/** Mastodon's own nginx: files first by kind, the application, and streams. */
const mastodon: Family = {
  name: 'nginx as Mastodon has it',
  server: 'nginx',
  main: 'nginx.conf',
  host: 'masto.test',
  tree: treeOf('mastodon/public'),
  config: (place) => {
    const kept = (age: string): string => `
      add_header Cache-Control "public, max-age=${age}, must-revalidate";
      add_header Strict-Transport-Security "max-age=63072000; includeSubDomains";
      try_files $uri =404;`
    return {
      'nginx.conf': `${nginxPrelude(place)}
  map $http_upgrade $connection_upgrade { default upgrade; '' close; }
  upstream backend { server 127.0.0.1:${place.apps.web} fail_timeout=0; }
  upstream streaming { least_conn; server 127.0.0.1:${place.apps.stream} fail_timeout=0; }
  proxy_cache_path ${place.directory}/cache levels=1:2 keys_zone=CACHE:10m inactive=7d max_size=1g;
  server {
    listen 127.0.0.1:${place.port};
    server_name masto.test;
    root ${place.directory}/sites/mastodon/public;
    location /.well-known/acme-challenge/ { allow all; }
    location / { return 301 https://$host$request_uri; }
  }
  server {
    listen 127.0.0.1:${place.sslPort} ssl http2;
    server_name masto.test;
    ${certificate(place)}
    keepalive_timeout 70;
    sendfile on;
    client_max_body_size 99m;
    root ${place.directory}/sites/mastodon/public;
    gzip on;
    gzip_types text/plain text/css application/json;
    gzip_static on;
    location / { try_files $uri @mastodon; }
    location = /sw.js {${kept('604800')}
    }
    location ~ ^/assets/ {${kept('2419200')}
    }
    location ~ ^/emoji/ {${kept('2419200')}
    }
    location ~ ^/packs/ {${kept('2419200')}
    }
    location ^~ /api/v1/streaming {${FORWARDED}
      proxy_set_header Proxy "";
      proxy_pass http://streaming;
      proxy_buffering off;
      proxy_redirect off;
      proxy_http_version 1.1;
      proxy_set_header Upgrade $http_upgrade;
      proxy_set_header Connection $connection_upgrade;
      add_header Strict-Transport-Security "max-age=63072000; includeSubDomains";
      tcp_nodelay on;
    }
    location @mastodon {${FORWARDED}
      proxy_set_header Proxy "";
      proxy_set_header X-Own masto;
      proxy_pass_header Server;
      proxy_pass http://backend;
      proxy_buffering on;
      proxy_redirect off;
      proxy_http_version 1.1;
      proxy_cache CACHE;
      proxy_cache_valid 200 7d;
      proxy_cache_valid 410 24h;
      proxy_cache_use_stale error timeout updating http_500 http_502 http_503 http_504;
      add_header X-Kept yes;
      tcp_nodelay on;
    }
    error_page 404 500 501 502 503 504 /500.html;
  }
}
`,
    }
  },
  asks: [
    ...secure(spelled(commonAsks).filter(([target]) => target !== '/sub/deep/')),
    ...secure([
      ['/'],
      ['/@someone'],
      ['/@someone/123?x=1'],
      ['/api/v1/accounts', { method: 'POST' }],
      ['/api/v1/streaming/public'],
      ['/api/v1/streaming?stream=user'],
      ['/sw.js'],
      ['/assets/app.js'],
      ['/assets/gone.js'],
      ['/emoji/1f600.svg'],
      ['/packs/media.css'],
      ['/packs/gone.css'],
      ['/uploads/a.png'],
      ['/inbox', { method: 'POST' }],
      ['/.env', { differs: [404, HIDDEN_REASON] }],
    ]),
    ['/'],
    ['/@someone?x=1'],
  ],
}

/** What panels and applications bring along for nginx. */
export const strangerFamilies: readonly Family[] = [plesk, cpanel, gitlab, mastodon]
