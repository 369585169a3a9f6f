import type { Family, FamilyAsk } from '../support/family.ts'
import { nginxPrelude } from '../support/source-server.ts'
import { commonAsks, commonTree, HIDDEN_REASON } from './common.ts'

const FORWARDED = `
        proxy_set_header Host $http_host;
        proxy_set_header X-Real-IP $remote_addr;
        proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
        proxy_set_header X-Forwarded-Proto $thescheme;
        proxy_pass http://discourse;`

const asks: readonly FamilyAsk[] = [
  ...commonAsks.filter(
    ([target]) =>
      !['/empty/', '/sub/', '/sub/deep/', '/sub/../page.html'].includes(target) &&
      !target.startsWith('/sub'),
  ),
  ['/'],
  ['/t/a-topic/1?page=2'],
  ['/latest.json'],
  ['/favicon.ico'],
  ['/srv/status'],
  ['/srv/status/x'],
  ['/backups/default/a.tar.gz'],
  ['/assets/application.js'],
  ['/assets/missing.js'],
  ['/assets/font.woff2'],
  ['/plugins/chat/a.css'],
  ['/images/emoji/a.png'],
  ['/uploads/default/original/a.png'],
  ['/uploads/default/original/missing.png'],
  ['/uploads/default/a.pdf'],
  ['/uploads/default/optimized/b.bin'],
  ['/uploads/short-url/abc.pdf'],
  ['/uploads/stylesheet-cache/x.css'],
  ['/secure-uploads/a.png'],
  ['/letter_avatar/a/45/b.png'],
  ['/user_avatar/x'],
  ['/extra-locales/mf'],
  ['/message-bus/abc/poll?dlp=t', { method: 'POST' }],
  ['/admin/backups/x'],
  ['/downloads/page.html'],
  ['/@someone'],
  ['/u/ann', { method: 'POST' }],
  ['/.env', { differs: [404, HIDDEN_REASON] }],
]

/** A forum in front of which nginx serves what lies in public, in the shape of Discourse's own sample. */
export const discourse: Family = {
  name: 'nginx as Discourse’s sample has it',
  server: 'nginx',
  main: 'nginx.conf',
  host: 'forum.test',
  tree: {
    ...commonTree('forum/public'),
    'forum/public/assets/application.js': 'let app',
    'forum/public/assets/font.woff2': 'font',
    'forum/public/plugins/chat/a.css': 'p{}',
    'forum/public/images/emoji/a.png': 'png',
    'forum/public/backups/default/a.tar.gz': 'gz',
    'forum/public/uploads/default/original/a.png': 'png',
    'forum/public/uploads/default/optimized/b.bin': 'bin',
    'forum/public/uploads/stylesheet-cache/x.css': 'p{}',
  },
  config: (place) => ({
    'nginx.conf': `${nginxPrelude(place)}
  upstream discourse { server 127.0.0.1:${place.apps.web}; }
  map $http_x_forwarded_proto $thescheme { default $scheme; https https; }
  geo $bypass_cache { default 0; 127.0.0.1 1; }
  server {
    listen 127.0.0.1:${place.port};
    gzip on;
    gzip_types application/json text/css;
    server_name forum.test;
    server_tokens off;
    sendfile on;
    keepalive_timeout 65;
    client_max_body_size 10m;
    set $public ${place.directory}/sites/forum/public;
    etag off;
    location ^~ /backups/ { internal; }
    location /favicon.ico { return 204; access_log off; log_not_found off; }
    location / {
      root $public;
      add_header ETag "";
      location ~ ^/uploads/short-url/ {${FORWARDED}
        break;
      }
      location ~ ^/(secure-media-uploads/|secure-uploads)/ {${FORWARDED}
        break;
      }
      location ~* (fonts|assets|plugins|uploads)/.*\\.(eot|ttf|woff|woff2|ico|otf)$ {
        expires 1y;
        add_header Cache-Control public,immutable;
        add_header Access-Control-Allow-Origin *;
      }
      location = /srv/status {
        access_log off;
        log_not_found off;${FORWARDED}
        break;
      }
      location ~ ^/assets/(?<asset_path>.+)$ {
        expires 1y;
        add_header Cache-Control public,immutable;
        break;
      }
      location ~ ^/plugins/ {
        expires 1y;
        add_header Cache-Control public,immutable;
        add_header Access-Control-Allow-Origin *;
      }
      location ~ /images/emoji/ { expires 1y; add_header Cache-Control public,immutable; }
      location ~ ^/uploads/ {
        proxy_set_header X-Sendfile-Type X-Accel-Redirect;
        expires 1y;
        add_header Cache-Control public,immutable;
        location ~ /stylesheet-cache/ { add_header Access-Control-Allow-Origin *; try_files $uri =404; }
        location ~* \\.(gif|png|jpg|jpeg|bmp|tif|tiff|ico|webp|avif)$ {
          add_header Access-Control-Allow-Origin *;
          try_files $uri =404;
        }
        location ~ /_?optimized/ { add_header Access-Control-Allow-Origin *; try_files $uri =404; }${FORWARDED}
        break;
      }
      location ~ ^/admin/backups/ {${FORWARDED}
        break;
      }
      location ~ ^/(letter_avatar/|user_avatar|highlight-js|stylesheets|extra-locales/(mf|overrides)) {
        proxy_ignore_headers "Set-Cookie";
        proxy_hide_header "Set-Cookie";
        proxy_hide_header "X-Discourse-Username";
        proxy_cache_bypass $bypass_cache;${FORWARDED}
        break;
      }
      location /message-bus/ {
        proxy_http_version 1.1;
        proxy_buffering off;${FORWARDED}
        break;
      }
      try_files $uri @discourse;
    }
    location /downloads/ { internal; alias $public/; }
    location @discourse {${FORWARDED}
    }
  }
}
`,
  }),
  asks,
}
