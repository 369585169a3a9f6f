import type { Family, FamilyAsk } from '../support/family.ts'
import { nginxPrelude } from '../support/source-server.ts'
import { commonAsks, commonTree, HIDDEN_REASON, withDifferences } from './common.ts'

const ONE_SPELLING = 'An application gets a path in its one spelling, by which pages are stored.'

const secure = (asks: readonly FamilyAsk[]): FamilyAsk[] =>
  asks.map(([target, options]): FamilyAsk => [target, { secure: true, ...options }])

const treeOf = (root: string): Record<string, string> => ({
  ...commonTree(root),
  [`${root}/assets/app.js`]: 'let app',
  [`${root}/sw.js`]: 'let worker',
  [`${root}/500.html`]: '<p>broken</p>',
  [`${root}/uploads/a.png`]: 'png',
})

const FORWARDED = `
    proxy_set_header Host $host;
    proxy_set_header X-Real-IP $remote_addr;
    proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
    proxy_set_header X-Forwarded-Proto $scheme;`

/** Files first, then one application, and another one for streams, as Mastodon's is written. */
const social: Family = {
  name: 'nginx before two applications, files first',
  server: 'nginx',
  main: 'nginx.conf',
  host: 'social.test',
  tree: treeOf('social/public'),
  config: (place) => ({
    'nginx.conf': `${nginxPrelude(place)}
  map $http_upgrade $connection_upgrade { default upgrade; '' close; }
  upstream backend { server 127.0.0.1:${place.apps.web} fail_timeout=0; }
  upstream streaming { least_conn; server 127.0.0.1:${place.apps.stream} fail_timeout=0; }
  server {
    listen 127.0.0.1:${place.port};
    server_name social.test;
    root ${place.directory}/sites/social/public;
    location /.well-known/acme-challenge/ { allow all; }
    location / { return 301 https://$host$request_uri; }
  }
  server {
    listen 127.0.0.1:${place.sslPort} ssl http2;
    server_name social.test;
    ssl_certificate ${place.certificate};
    ssl_certificate_key ${place.key};
    keepalive_timeout 70;
    sendfile on;
    client_max_body_size 99m;
    root ${place.directory}/sites/social/public;
    gzip on;
    location / { try_files $uri @proxy; }
    location = /sw.js {
      add_header Cache-Control "public, max-age=604800, must-revalidate";
      try_files $uri =404;
    }
    location ~ ^/assets/ {
      add_header Cache-Control "public, max-age=2419200, must-revalidate";
      try_files $uri =404;
    }
    location ^~ /api/v1/streaming {${FORWARDED}
      proxy_set_header Upgrade $http_upgrade;
      proxy_set_header Connection $connection_upgrade;
      proxy_pass http://streaming;
      proxy_buffering off;
    }
    location ^~ /moved/ { proxy_pass http://backend/now/; }
    location ^~ /cut/ { proxy_pass http://backend/now; }
    location ^~ /doubled { proxy_pass http://backend/; }
    location ^~ /alike/ { proxy_pass http://backend; }
    location ~ ^/by-name/[0-9]+$ {${FORWARDED}
      proxy_set_header X-Own pattern;
      proxy_pass http://backend;
    }
    location @proxy {${FORWARDED}
      proxy_set_header X-Own files-first;
      proxy_set_header Upgrade $http_upgrade;
      proxy_set_header Connection $connection_upgrade;
      proxy_pass http://backend;
    }
  }
}
`,
  }),
  asks: [
    ...secure(
      commonAsks.filter(([target]) => !['/sub/deep/', '/sub/../page.html'].includes(target)),
    ),
    ...secure([
      ['/'],
      ['/about/more?x=1&y=%20'],
      ['/@someone/1'],
      ['/a%3Fb?c'],
      ['/sw.js'],
      ['/assets/app.js'],
      ['/assets/missing.js'],
      ['/assets'],
      ['/uploads/a.png'],
      ['/api/v1/accounts'],
      ['/api/v1/accounts', { method: 'POST' }],
      ['/api/v1/streaming'],
      ['/api/v1/streaming/public?only=1'],
      ['/moved/'],
      ['/moved/a/b?c=d'],
      ['/cut/'],
      ['/cut/a/b?c=d'],
      ['/doubled'],
      ['/doubled?c=d'],
      ['/doubled/a'],
      ['/doubledly/a?b'],
      ['/alike/a'],
      ...(
        [
          ['/moved/', 'OWN/now/x?y'],
          ['/cut/', 'OWN/now/x?y'],
          ['/cut/', 'OWN/nowhere'],
          ['/cut/', '/now/x'],
          ['/doubled', 'OWN//x'],
          ['/doubled', 'OWN/x'],
          ['/alike/', 'OWN/elsewhere?a=b'],
          ['/alike/', '/elsewhere'],
          ['/alike/', 'https://other.test/a'],
          ['/about', 'OWN/about/'],
        ] as const
      ).map(([path, leads]): FamilyAsk => [path, { headers: { 'x-leads': leads } }]),
      [
        '/alike/',
        {
          headers: { 'x-leads': 'OWN' },
          differs: [
            302,
            'The name of the application is nothing to visitors, with a path or without.',
          ],
        },
      ],
      ['/by-name/12'],
      ['/by-name/12?x'],
      ['/by-name/ab'],
      ['/fails'],
      ['/.env', { differs: [404, HIDDEN_REASON] }],
    ]),
    ['/'],
    ['/about?x=1'],
  ],
}

/** Everything to one application behind a socket or port, with pages of errors, as GitLab's is written. */
const forge: Family = {
  name: 'nginx before one application, with static paths and patterns',
  server: 'nginx',
  main: 'nginx.conf',
  host: 'forge.test',
  tree: treeOf('forge'),
  config: (place) => ({
    'nginx.conf': `${nginxPrelude(place)}
  upstream workhorse { server 127.0.0.1:${place.apps.web}; }
  server {
    listen 127.0.0.1:${place.sslPort} ssl;
    listen 127.0.0.1:${place.port};
    server_name forge.test;
    server_tokens off;
    ssl_certificate ${place.certificate};
    ssl_certificate_key ${place.key};
    root ${place.directory}/sites/forge;
    client_max_body_size 0;
    location / {
      proxy_read_timeout 300;
      proxy_connect_timeout 300;
      proxy_redirect off;
      proxy_http_version 1.1;${FORWARDED}
      proxy_set_header X-Own forge;
      proxy_pass http://workhorse;
    }
    location ~* \\.(png|svg)$ { expires 7d; }
    location /uploads/ { access_log off; }
    location /health { proxy_pass http://127.0.0.1:${place.apps.stream}/ready; }
    location = /gone { return 410; }
    location = /ok { return 204; }
  }
}
`,
  }),
  asks: secure([
    ...withDifferences(
      commonAsks.filter(([target]) => target !== '/sub/../page.html'),
      [[['/%70age.html'], 200, ONE_SPELLING]],
    ),
    ['/'],
    ['/group/project'],
    ['/group/project?x=1', { method: 'POST' }],
    ['/uploads/a.png'],
    ['/uploads/missing.png'],
    ['/uploads/b.txt'],
    ['/logo.svg'],
    ['/group/logo.svg'],
    ['/health'],
    ['/health/live?now'],
    ['/healthy'],
    ['/gone'],
    ['/ok'],
    ['/fails'],
    ['/group//double'],
    ['/group/%2e%2e/up', { differs: [200, ONE_SPELLING] }],
    ['/.env'],
    ['/plain', { secure: false }],
  ]),
}

export const applicationFamilies: readonly Family[] = [social, forge]
