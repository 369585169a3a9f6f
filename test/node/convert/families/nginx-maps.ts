import type { Family } from '../support/family.ts'
import { nginxPrelude } from '../support/source-server.ts'
import { commonAsks, commonTree, HIDDEN_REASON } from './common.ts'

const agent = (name: string) => ({ headers: { 'user-agent': name } })

/** Tables of values, blocks of addresses and variables, in headers, redirects and conditions. */
export const mapped: Family = {
  name: 'nginx with maps, geo and variables',
  server: 'nginx',
  main: 'nginx.conf',
  host: 'mapped.test',
  tree: {
    ...commonTree('mapped'),
    'mapped/mobile/page.html': '<p>mobile</p>',
    'mapped/de/page.html': '<p>deutsch</p>',
    'mapped/held.html': '<p>held</p>',
  },
  config: (place) => ({
    'nginx.conf': `${nginxPrelude(place)}
  map $http_user_agent $device {
    default desk;
    ~*iphone|android phone;
    "~Special (\\w+)" "special $1";
    exact-agent exact;
  }
  map $device $is_phone { phone 1; default 0; }
  map $uri $moved {
    /old-page /page.html;
    ~^/old/(.*)$ /sub/$1;
    default '';
  }
  map $http_accept_language $lang { default en; ~^de de; }
  map $http_host $part { hostnames; default none; *.mapped.test below; .other.test other; }
  map $http_upgrade $connection_upgrade { default upgrade; '' close; }
  geo $near { default 0; 127.0.0.0/8 1; 10.0.0.0/8 2; 127.0.0.1/32 3; }
  server {
    listen 127.0.0.1:${place.port} default_server;
    server_name mapped.test;
    root ${place.directory}/sites/mapped;
    add_header X-Device $device always;
    add_header X-Lang "lang=\${lang} \${part}" always;
    add_header X-Near $near always;
    add_header X-Host "$host $request_method 100%" always;
    if ($moved) { return 301 $moved; }
    set $hold no;
    if ($arg_missing) { set $unused 1; }
    if ($http_x_hold ~ "^y") { set $hold yes; }
    if ($http_x_hold = "really") { set $hold "really so"; }
    if ($hold = yes) { return 410; }
    set $skip_cache 0;
    if ($request_method = POST) { set $skip_cache 1; }
    fastcgi_cache_bypass $skip_cache;
    location = /held { if ($hold = "really so") { return 403; } return 404; }
    location /phone { if ($is_phone) { return 302 /mobile/page.html; } }
    location /lang { return 302 /$lang/page.html; }
    location /both { return 302 https://$part.$device.test$request_uri; }
  }
}
`,
  }),
  asks: [
    ...commonAsks.filter(([target]) => !target.startsWith('/sub') && target !== '/sub'),
    ['/page.html', agent('Android 5')],
    ['/page.html', agent('iPhone')],
    ['/page.html', agent('Special kind')],
    ['/page.html', agent('Special Android')],
    ['/page.html', agent('Exact-Agent')],
    ['/page.html', { headers: { 'accept-language': 'de-AT' } }],
    ['/old-page'],
    ['/OLD-PAGE'],
    ['/old/deep/file.html'],
    ['/held.html'],
    ['/held.html', { headers: { 'x-hold': 'yes' } }],
    ['/held.html', { headers: { 'x-hold': 'no' } }],
    ['/held'],
    ['/held', { headers: { 'x-hold': 'really' } }],
    ['/phone'],
    ['/phone', agent('android')],
    ['/lang'],
    ['/lang', { headers: { 'accept-language': 'de' } }],
    ['/lang', { headers: { 'accept-language': 'fr, de' } }],
    ['/both?x=1', agent('phone')],
    ['/both', agent('Android')],
    ['/both?x=1&y=2'],
    ['/nowhere'],
    ['/nowhere', agent('iphone')],
    ['/sub/'],
    ['/sub/deep/file.html', agent('android')],
    ['/old/'],
    ['/.env', { differs: [404, HIDDEN_REASON] }],
    ['/page.html', { method: 'POST' }],
  ],
}
