import type { Family, FamilyAsk } from '../support/family.ts'
import { ECHO } from '../support/family.ts'
import { nginxPrelude } from '../support/source-server.ts'
import { commonAsks, commonTree, phpAsks, phpTree } from './common.ts'

const params = `
fastcgi_param QUERY_STRING $query_string;
fastcgi_param REQUEST_METHOD $request_method;
fastcgi_param SCRIPT_NAME $fastcgi_script_name;
fastcgi_param REQUEST_URI $request_uri;
fastcgi_param DOCUMENT_ROOT $document_root;
fastcgi_param SERVER_PROTOCOL $server_protocol;
`

const TOOL: readonly FamilyAsk[] = [
  ['/phpmyadmin/'],
  ['/phpmyadmin/index.php?route=1'],
  ['/phpmyadmin/themes/style.css'],
  ['/phpmyadmin/libraries/code.php'],
  ['/phpmyadmin/setup/index.php'],
  ['/phpmyadmin/none.css'],
]

/** A domain of HestiaCP with nginx alone and PHP at a port. */
export const hestia: Family = {
  name: 'nginx as HestiaCP writes it',
  server: 'nginx',
  main: 'nginx.conf',
  host: 'hosted.test',
  tree: {
    ...commonTree('hosted/public_html'),
    ...phpTree('hosted/public_html'),
    'hosted/document_errors/403.html': '<p>own 403</p>',
    'hosted/document_errors/404.html': '<p>own 404</p>',
    'hosted/stats/index.html': '<p>stats</p>',
    'tool/index.php': ECHO,
    'tool/themes/style.css': 'p{}',
    'tool/libraries/code.php': ECHO,
    'tool/setup/index.php': ECHO,
  },
  config: (place) => {
    const site = `${place.directory}/sites/hosted`
    return {
      fastcgi_params: params,
      'auth.conf':
        'auth_basic "Web Statistics";\nauth_basic_user_file ' + `${site}/../../etc/passwords;\n`,
      passwords: 'ann:$apr1$berthsal$rl9fukOteojlJ/DKahkNc0\n',
      'phpmyadmin.inc': `location /phpmyadmin {
  alias ${place.directory}/sites/tool/;
  location ~ /(libraries|setup) { return 404; }
  location ~ ^/phpmyadmin/(.*\\.php)$ {
    alias ${place.directory}/sites/tool/$1;
    include ${place.directory}/etc/fastcgi_params;
    fastcgi_param SCRIPT_FILENAME $request_filename;
    fastcgi_pass 127.0.0.1:${place.phpPort};
  }
  location ~* ^/phpmyadmin/(.+\\.(jpg|jpeg|gif|css|png|js|ico|html|xml|txt))$ {
    alias ${place.directory}/sites/tool/$1;
  }
}
`,
      'nginx.conf': `${nginxPrelude(place)}
server {
  listen      127.0.0.1:${place.port};
  server_name hosted.test www.hosted.test;
  root        ${site}/public_html;
  index       index.php index.html index.htm;
  access_log  /dev/null combined;
  include ${place.directory}/etc/nginx.forcessl.conf*;
  location = /favicon.ico { log_not_found off; access_log off; }
  location = /robots.txt {
    try_files $uri $uri/ /index.php?$args;
    log_not_found off;
    access_log off;
  }
  location ~ /\\.(?!well-known\\/) {
    deny all;
    return 404;
  }
  location / {
    try_files $uri $uri/ /index.php?$args;
    location ~* ^.+\\.(ogg|svg|eot|woff|mp4|css|js|jpg|jpeg|gif|png|ico|zip|txt)$ {
      expires 30d;
      fastcgi_hide_header "Set-Cookie";
    }
    location ~* /(?:uploads|files)/.*.php$ { deny all; }
    location ~ [^/]\\.php(/|$) {
      try_files $uri =404;
      include ${place.directory}/etc/fastcgi_params;
      fastcgi_index index.php;
      fastcgi_param SCRIPT_FILENAME $document_root$fastcgi_script_name;
      fastcgi_pass 127.0.0.1:${place.phpPort};
      include ${place.directory}/etc/nginx.fastcgi_cache.conf*;
    }
  }
  error_page 403 /error/403.html;
  error_page 404 /error/404.html;
  location /error/ { alias ${site}/document_errors/; }
  location /vstats/ {
    alias ${site}/stats/;
    include ${place.directory}/etc/auth.conf;
  }
  include ${place.directory}/etc/phpmyadmin.inc*;
}
}
`,
    }
  },
  asks: [
    ...commonAsks.filter(([target]) => target !== '/photo.jpg'),
    ...phpAsks.filter(([target]) => target !== '/missing.php'),
    ...TOOL,
    ['/'],
    ['/a-post/?x=1'],
    ['/robots.txt'],
    ['/photo.jpg'],
    ['/missing.css'],
    ['/missing.php'],
    ['/uploads/evil.php'],
    ['/error/404.html'],
    ['/vstats/'],
    ['/vstats/', { headers: { authorization: `Basic ${btoa('ann:secret')}` } }],
    ['/.git/config'],
    ['/.env'],
    ['/page.html', { host: 'www.hosted.test' }],
  ],
}
