import type { Family, TrialPlace } from '../support/family.ts'
import { apachePrelude } from '../support/source-server.ts'
import { panelAsks, treeOf, WELL_KNOWN } from './panel-parts.ts'

/** Not before the files were made. */
const SEEN = 'Fri, 02 Jan 2026 03:04:05 GMT'
const ROOT = 'sites/clients/client1/web1/web'

/** PHP's files belong to nobody at first, and to php-fpm where there is such a file. */
const host = (place: TrialPlace, secure: boolean): string => {
  const web = `${place.directory}/${ROOT}`
  return `
<Directory ${web}>
  AllowOverride None
  Require all denied
</Directory>
<VirtualHost 127.0.0.1:${secure ? place.sslPort : place.port}>
  DocumentRoot ${web}
  ServerName firm.test
  ServerAlias www.firm.test
  ServerAdmin webmaster@firm.test
  ErrorLog ${place.directory}/error.log
  Alias /error/ "${web}/error/"
  ErrorDocument 404 /error_docs/not_found.html
${
  secure
    ? `  <IfModule mod_ssl.c>
    SSLEngine on
    SSLProtocol All -SSLv3 -TLSv1 -TLSv1.1
    SSLCertificateFile ${place.certificate}
    SSLCertificateKeyFile ${place.key}
  </IfModule>`
    : `  RewriteEngine on
  RewriteCond %{REQUEST_URI} !^/\\.well-known/acme-challenge/
  RewriteRule ^ https://%{HTTP_HOST}%{REQUEST_URI} [R=301,L,NE]`
}
  <Directory ${web}>
    # Nothing runs a script but what is named below.
    <FilesMatch ".+\\.ph(p[345]?|t|tml)$">
      SetHandler None
    </FilesMatch>
    Options +SymlinksIfOwnerMatch
    AllowOverride All
    Require all granted
  </Directory>
  <IfModule mod_proxy_fcgi.c>
    <Directory ${web}>
      <FilesMatch "\\.php[345]?$">
        <If "-f '%{REQUEST_FILENAME}'">
          SetHandler "proxy:unix:${place.socket}|fcgi://localhost"
        </If>
      </FilesMatch>
    </Directory>
  </IfModule>
  <IfModule mod_headers.c>
    Header always set X-Panel "firm"
    Header set X-Page "yes" "expr=%{REQUEST_URI} =~ m#^/page#"
  </IfModule>
  <IfModule mod_expires.c>
    ExpiresActive On
    ExpiresByType application/json "access"
    ExpiresByType text/plain "access plus 2 days"
    ExpiresByType text/css "access plus 1 week"
  </IfModule>
</VirtualHost>
`
}

/** ISPConfig takes PHP's files from everybody before it gives them to php-fpm. */
export const ispconfig: Family = {
  name: 'Apache as ISPConfig writes it',
  server: 'apache',
  main: 'apache2.conf',
  host: 'firm.test',
  tree: treeOf('clients/client1/web1/web'),
  config: (place) => ({
    'apache2.conf': `${apachePrelude(place)}FileETag None\nDirectoryIndex index.html index.php\nIncludeOptional sites-enabled/*.vhost\n`,
    'sites-enabled/100-firm.test.vhost': `${host(place, false)}${host(place, true)}`,
  }),
  asks: [
    ...panelAsks('firm.test').filter(([target]) => target !== '/.htaccess'),
    ['/'],
    ['/page.html?x=1'],
    ['/', { host: 'www.firm.test' }],
    ['/style.css', { secure: true, headers: { 'if-modified-since': SEEN } }],
    ['/data.json', { secure: true, headers: { 'if-modified-since': SEEN } }],
    ['/index.php', { secure: true }],
    ['/echo.php?a=1', { secure: true, method: 'POST' }],
    ['/.well-known/acme-challenge/none', { secure: true, differs: [200, WELL_KNOWN] }],
  ],
}
