import type { Family, FamilyAsk } from '../support/family.ts'
import { nginxPrelude } from '../support/source-server.ts'
import {
  commonAsks,
  commonTree,
  HIDDEN_REASON,
  phpAsks,
  phpTree,
  withDifferences,
} from './common.ts'

const ERROR_PAGE = 'An error has the headers of the place that was asked for, not of its page.'

const params = `
fastcgi_param QUERY_STRING $query_string;
fastcgi_param REQUEST_METHOD $request_method;
fastcgi_param CONTENT_TYPE $content_type;
fastcgi_param CONTENT_LENGTH $content_length;
fastcgi_param SCRIPT_FILENAME $document_root$fastcgi_script_name;
fastcgi_param SCRIPT_NAME $fastcgi_script_name;
fastcgi_param REQUEST_URI $request_uri;
fastcgi_param DOCUMENT_ROOT $document_root;
fastcgi_param SERVER_PROTOCOL $server_protocol;
fastcgi_param REMOTE_ADDR $remote_addr;
fastcgi_param SERVER_NAME $server_name;
`

const secure = (asks: readonly FamilyAsk[]): FamilyAsk[] =>
  asks.map(([target, options]): FamilyAsk => [target, { secure: true, ...options }])

const treeOf = (root: string): Record<string, string> => ({
  ...commonTree(root),
  ...phpTree(root),
  [`${root}/404.html`]: '<p>own page</p>',
  [`${root}/fonts/a.woff2`]: 'font',
  [`${root}/img/logo.svg`]: '<svg/>',
  [`${root}/admin/index.html`]: '<p>admin</p>',
  [`${root}/members/file.txt`]: 'members',
  [`${root}/static/a.txt`]: 'static',
  [`${root}/static/code.php`]: '<?php echo 1;',
  [`${root}/about.html`]: '<p>about</p>',
  [`${root}/download/file.html`]: '<p>download</p>',
  [`${root}/downloads/file.html`]: '<p>downloads</p>',
})

/** A site with a front controller, headers, expiry, closed places and redirects. */
const wordpress: Family = {
  name: 'nginx before php-fpm',
  server: 'nginx',
  main: 'nginx.conf',
  host: 'blog.test',
  tree: treeOf('blog'),
  config: (place) => ({
    fastcgi_params: params,
    'snippets/tls.conf': `ssl_certificate ${place.certificate};\nssl_certificate_key ${place.key};\nssl_protocols TLSv1.2 TLSv1.3;\n`,
    'sites/.passwords': 'ann:$apr1$berthsal$rl9fukOteojlJ/DKahkNc0\n',
    'nginx.conf': `${nginxPrelude(place)}
  upstream php { server unix:${place.socket}; }
  map $http_upgrade $connection_upgrade { default upgrade; '' close; }
  include ${place.directory}/etc/sites/*.conf;
}
`,
    'sites/blog.conf': `
server {
  listen 127.0.0.1:${place.port};
  server_name blog.test www.blog.test;
  return 301 https://$host$request_uri;
}
server {
  listen 127.0.0.1:${place.sslPort} ssl;
  server_name www.blog.test;
  include ${place.directory}/etc/snippets/tls.conf;
  return 301 https://blog.test$request_uri;
}
server {
  listen 127.0.0.1:${place.sslPort} ssl http2;
  server_name blog.test;
  include ${place.directory}/etc/snippets/tls.conf;
  root ${place.directory}/sites/blog;
  index index.php index.html;
  client_max_body_size 64m;
  gzip on;
  add_header X-Frame-Options SAMEORIGIN always;
  add_header X-Site "blog \\"one\\"";
  error_page 404 /404.html;
  rewrite ^/old/(.*)$ /page.html?from=$1 permanent;
  rewrite ^/inner/([a-z]+)$ /$1.html last;
  if ($request_method = TRACE) { return 405; }
  if ($http_user_agent ~* "(badbot|worse)") { return 403; }
  location / {
    try_files $uri $uri/ /index.php?$args;
  }
  location ~ \\.php$ {
    try_files $uri =404;
    include ${place.directory}/etc/fastcgi_params;
    fastcgi_param APP_ENV production;
    fastcgi_pass php;
    fastcgi_read_timeout 120s;
  }
  location = /favicon.ico { log_not_found off; access_log off; }
  location = /xmlrpc.php { deny all; }
  location ^~ /static/ {
    add_header X-Static yes;
    expires 1h;
  }
  location ~* \\.(?:css|js|jpg|svg|woff2)$ {
    expires 7d;
    add_header Cache-Control public;
    access_log off;
  }
  location ~ /\\.(?!well-known) { deny all; }
  location /admin/ { allow 10.9.8.7; deny all; }
  location /members/ {
    auth_basic "Members";
    auth_basic_user_file ${place.directory}/etc/sites/.passwords;
  }
  location /about { try_files $uri $uri.html =404; }
  location /download { return 302 /page.html; }
  location = /gone { return 410; }
  location /nested/ {
    location /nested/closed/ { return 403; }
    return 302 https://other.test$request_uri;
  }
}
`,
  }),
  asks: withDifferences(
    [
      ...secure(
        [...commonAsks, ...phpAsks]
          .filter(([target]) => !target.startsWith('/sub/deep/') || target.endsWith('html'))
          .filter(([, options]) => options?.method !== 'POST'),
      ),
      ['/'],
      ['/page.html?x=1', { host: 'www.blog.test' }],
      ['/page.html?x=1', { host: 'www.blog.test', secure: true }],
      ['/', { secure: true }],
      ['/a-post', { secure: true }],
      ['/a-post/?x=1&y=2', { secure: true }],
      ['/deep/er/post', { secure: true }],
      ['/missing.css', { secure: true }],
      ['/img/logo.svg', { secure: true }],
      ['/fonts/a.woff2', { secure: true }],
      ['/xmlrpc.php', { secure: true }],
      ['/static/a.txt', { secure: true }],
      ['/static/missing.txt', { secure: true }],
      [
        '/static/code.php',
        { secure: true, differs: [403, 'The source of scripts is never shown.'] },
      ],
      ['/.env', { secure: true, differs: [404, HIDDEN_REASON] }],
      ['/admin/', { secure: true }],
      ['/admin/x', { secure: true }],
      ['/members/file.txt', { secure: true }],
      [
        '/members/file.txt',
        { secure: true, headers: { authorization: `Basic ${btoa('ann:secret')}` } },
      ],
      [
        '/members/file.txt',
        { secure: true, headers: { authorization: `Basic ${btoa('ann:no')}` } },
      ],
      ['/about', { secure: true }],
      ['/about/x', { secure: true }],
      ['/download', { secure: true }],
      ['/downloads/file.html', { secure: true }],
      ['/gone', { secure: true }],
      ['/gone/x', { secure: true }],
      ['/old/a/b', { secure: true }],
      ['/inner/page', { secure: true }],
      ['/nested/x?y=1', { secure: true }],
      ['/nested/closed/x', { secure: true }],
      ['/page.html', { secure: true, headers: { 'user-agent': 'BadBot/1' } }],
      ['/uploads/evil.php', { secure: true }],
      ['/favicon.ico', { secure: true }],
    ],
    [[['/static/missing.txt', '/missing.css'], 404, ERROR_PAGE]],
  ),
}

export const nginxFamilies: readonly Family[] = [wordpress]
