import type { Family, FamilyAsk } from '../support/family.ts'
import { apachePrelude, nginxPrelude } from '../support/source-server.ts'
import { commonAsks, commonTree, HIDDEN_REASON } from './common.ts'

const secure = (asks: readonly FamilyAsk[]): FamilyAsk[] =>
  asks.map(([target, options]): FamilyAsk => [target, { secure: true, ...options }])

const asks: readonly FamilyAsk[] = [
  ...secure(commonAsks),
  ...secure([
    ['/'],
    ['/missing'],
    ['/sub/missing/'],
    ['/photo.jpg?x'],
    ['/index.html'],
    ['/data.json?x'],
    ['/page.html', { host: 'www.signed.test' }],
    ['/.env', { differs: [404, HIDDEN_REASON] }],
  ]),
  ['/'],
  ['/page.html?x=1'],
  ['/page.html?x=1', { host: 'www.signed.test' }],
  [
    '/sub/',
    { method: 'POST', differs: [308, 'What is sent must be sent again, and not be asked for.'] },
  ],
  ['/style.css'],
  ['/sub'],
  ['/missing'],
  ['/sub/deep/file.html', { method: 'HEAD' }],
  ['/%C3%BCn%C3%AF.html'],
  ['/with%20space.html'],
]

/** What certbot makes of one server that answers http: the server for https, and another that leads there. */
const nginx: Family = {
  name: 'nginx as certbot leaves it',
  server: 'nginx',
  main: 'nginx.conf',
  host: 'signed.test',
  tree: commonTree('signed'),
  config: (place) => ({
    'options-ssl-nginx.conf':
      'ssl_session_cache shared:le_nginx_SSL:1m;\nssl_session_timeout 1440m;\nssl_session_tickets off;\nssl_protocols TLSv1.2 TLSv1.3;\nssl_prefer_server_ciphers off;\n',
    'nginx.conf': `${nginxPrelude(place)}
  server {
    server_name signed.test www.signed.test;
    root ${place.directory}/sites/signed;
    index index.html;
    location / { try_files $uri $uri/ =404; }
    listen 127.0.0.1:${place.sslPort} ssl; # managed by Certbot
    ssl_certificate ${place.certificate}; # managed by Certbot
    ssl_certificate_key ${place.key}; # managed by Certbot
    include ${place.directory}/etc/options-ssl-nginx.conf; # managed by Certbot
  }
  server {
    if ($host = www.signed.test) {
      return 301 https://$host$request_uri;
    } # managed by Certbot
    if ($host = signed.test) {
      return 301 https://$host$request_uri;
    } # managed by Certbot
    server_name signed.test www.signed.test;
    listen 127.0.0.1:${place.port};
    return 404; # managed by Certbot
  }
}
`,
  }),
  asks,
}

/** The same for Apache, with a second file for https. */
const apache: Family = {
  name: 'Apache as certbot leaves it',
  server: 'apache',
  main: 'httpd.conf',
  host: 'signed.test',
  tree: commonTree('signed'),
  config: (place) => ({
    'options-ssl-apache.conf':
      'SSLEngine on\nSSLProtocol all -SSLv2 -SSLv3 -TLSv1 -TLSv1.1\nSSLHonorCipherOrder off\nSSLSessionTickets off\nSSLOptions +StrictRequire\n',
    'httpd.conf': `${apachePrelude(place)}
<Directory ${place.directory}/sites/>
  Options FollowSymLinks
  AllowOverride None
  Require all granted
</Directory>
<VirtualHost *:${place.port}>
  ServerAdmin webmaster@localhost
  ServerName signed.test
  ServerAlias www.signed.test
  DocumentRoot ${place.directory}/sites/signed
RewriteEngine on
RewriteCond %{SERVER_NAME} =www.signed.test [OR]
RewriteCond %{SERVER_NAME} =signed.test
RewriteRule ^ https://%{SERVER_NAME}%{REQUEST_URI} [END,NE,R=permanent]
</VirtualHost>
Include ${place.directory}/etc/signed-le-ssl.conf
`,
    'signed-le-ssl.conf': `<IfModule mod_ssl.c>
<VirtualHost *:${place.sslPort}>
  ServerAdmin webmaster@localhost
  ServerName signed.test
  ServerAlias www.signed.test
  DocumentRoot ${place.directory}/sites/signed
SSLCertificateFile ${place.certificate}
SSLCertificateKeyFile ${place.key}
Include ${place.directory}/etc/options-ssl-apache.conf
</VirtualHost>
</IfModule>
`,
  }),
  // In plain words Apache sends the bytes of the name as they are.
  asks: asks.filter(([target, options]) => !target.includes('%C3') || options?.secure === true),
}

export const certbotFamilies: readonly Family[] = [nginx, apache]
