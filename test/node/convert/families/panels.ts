import type { Family, TrialPlace } from '../support/family.ts'
import { apachePrelude } from '../support/source-server.ts'
import { withDifferences } from './common.ts'
import { MISSING_SCRIPT, ON_ERRORS, panelAsks, treeOf, WELL_KNOWN } from './panel-parts.ts'

/** One host on port 80 and one on 443 with the same names, as cPanel writes them. */
const cpanelHost = (place: TrialPlace, secure: boolean): string => `
<VirtualHost 127.0.0.1:${secure ? place.sslPort : place.port}>
  ServerName shop.test
  ServerAlias mail.shop.test www.shop.test
  DocumentRoot ${place.directory}/sites/home/shop/public_html
  ServerAdmin webmaster@shop.test
  UseCanonicalName Off
  CustomLog ${place.directory}/bytes.log "%{%s}t %I .\\n%{%s}t %O ."

  <IfModule userdir_module>
    <IfModule !mpm_itk.c>
      <IfModule !ruid2_module>
        UserDir disabled
        UserDir enabled shop
      </IfModule>
    </IfModule>
  </IfModule>
  <IfModule mod_suexec.c>
    SuexecUserGroup shop shop
  </IfModule>
  <IfModule ruid2_module>
    RMode config
    RUidGid shop shop
  </IfModule>
  <Directory "${place.directory}/sites/home/shop/public_html">
    AllowOverride All
    Require all granted
  </Directory>
  <FilesMatch "\\.ph(p[3-9]?|tml)$">
    SetHandler "proxy:unix:${place.socket}|fcgi://shop.test"
  </FilesMatch>
${
  secure
    ? `  <IfModule ssl_module>
    SSLEngine on
    SSLCertificateFile ${place.certificate}
    SSLCertificateKeyFile ${place.key}
    SetEnvIf User-Agent ".*MSIE.*" nokeepalive ssl-unclean-shutdown
    <Directory "${place.directory}/sites/home/shop/public_html/cgi-bin">
      SSLOptions +StdEnvVars
    </Directory>
  </IfModule>`
    : `  RewriteEngine On
  RewriteCond %{HTTP_HOST} =shop.test [OR]
  RewriteCond %{HTTP_HOST} =www.shop.test [OR]
  RewriteCond %{HTTP_HOST} =mail.shop.test
  RewriteCond %{REQUEST_URI} !^/\\.well-known/acme-challenge/.+$
  RewriteRule ^ https://%{HTTP_HOST}%{REQUEST_URI} [R=301,L]`
}
</VirtualHost>
`

const cpanel: Family = {
  name: 'Apache as cPanel writes it',
  server: 'apache',
  main: 'httpd.conf',
  host: 'shop.test',
  tree: treeOf('home/shop/public_html'),
  config: (place) => ({
    'httpd.conf': `${apachePrelude(place)}
DirectoryIndex index.html.var index.htm index.html index.xhtml index.php
<Directory "/">
  AllowOverride All
  Options ExecCGI FollowSymLinks
</Directory>
<Files ~ "^error_log$">
  Require all denied
</Files>
<FilesMatch "^\\.ht">
  Require all denied
</FilesMatch>
ErrorDocument 404 /404.shtml
Include "${place.directory}/etc/conf.d/*.conf"
${cpanelHost(place, false)}${cpanelHost(place, true)}`,
    'conf.d/pre.conf': 'Timeout 300\nServerTokens ProductOnly\nFileETag None\nTraceEnable Off\n',
  }),
  asks: [
    ...withDifferences(panelAsks('shop.test'), [MISSING_SCRIPT]),
    ['/'],
    ['/page.html?x=1'],
    ['/', { host: 'www.shop.test' }],
    ['/a%20b', { host: 'mail.shop.test' }],
    ['/error_log', { secure: true }],
  ],
}

/** Plesk keeps each domain in a file of its own, with sections for its directories. */
const plesk: Family = {
  name: 'Apache as Plesk writes it',
  server: 'apache',
  main: 'httpd.conf',
  host: 'site.test',
  tree: treeOf('vhosts/site.test/httpdocs'),
  config: (place) => {
    const root = `${place.directory}/sites/vhosts/site.test/httpdocs`
    const host = (secure: boolean): string => `
<VirtualHost 127.0.0.1:${secure ? place.sslPort : place.port}>
  ServerName "site.test:${secure ? 443 : 80}"
  ServerAlias "www.site.test"
  ServerAlias "ipv4.site.test"
  UseCanonicalName Off
  DocumentRoot "${root}"
  CustomLog ${place.directory}/access.log common
  ErrorLog "${place.directory}/site.log"
  <IfModule mod_userdir.c>
    UserDir "${root}/*"
  </IfModule>
${
  secure
    ? `  SSLEngine on
  SSLVerifyClient none
  SSLCertificateFile "${place.certificate}"
  SSLCertificateKeyFile "${place.key}"
  <IfModule mod_headers.c>
    Header always set Strict-Transport-Security "max-age=15768000; includeSubDomains"
    Header set X-Powered-By PleskLin
  </IfModule>`
    : `  <IfModule mod_rewrite.c>
    RewriteEngine On
    RewriteCond %{HTTPS} off
    RewriteRule ^ https://%{HTTP_HOST}%{REQUEST_URI} [R=301,L,QSA]
  </IfModule>`
}
  DirectoryIndex "index.html" "index.cgi" "index.pl" "index.php" \\
    "index.xhtml" "index.htm"
  <Directory ${root}>
    <IfModule mod_proxy_fcgi.c>
      <FilesMatch "\\.php(/.*)?$">
        SetHandler "proxy:unix:${place.socket}|fcgi://127.0.0.1:9000"
      </FilesMatch>
    </IfModule>
    SSLRequireSSL
    Options -Includes -ExecCGI
    AllowOverride All
    Require all granted
  </Directory>
  <Directory "${root}/private">
    Require ip 10.1.2.3
  </Directory>
  <Location /internal-status>
    Require all denied
  </Location>
  Redirect permanent /moved https://elsewhere.test/new
  RedirectMatch 302 ^/go/(\\w+)$ /page.html?to=$1
  Alias /.well-known/acme-challenge ${place.directory}/challenges
  ErrorDocument 404 /error_docs/not_found.html
  ExpiresActive On
  ExpiresByType text/css "access plus 1 week"
</VirtualHost>
`
    return {
      'httpd.conf': `${apachePrelude(place)}FileETag None\nIncludeOptional domains/*.conf\n`,
      'domains/site.test.conf': `${host(true)}${host(false).replace('SSLRequireSSL', '').replace('X-None', '')}`,
    }
  },
  asks: [
    ...withDifferences(
      panelAsks('site.test').filter(([target]) => target !== '/.htaccess'),
      [MISSING_SCRIPT, [['/nowhere', '/sub/none.txt'], 404, ON_ERRORS]],
    ),
    ['/', { secure: false }],
    ['/page.html?x=1'],
    ['/private/file.txt', { secure: true }],
    ['/internal-status', { secure: true }],
    ['/moved/there?x=1', { secure: true }],
    ['/go/there', { secure: true }],
    ['/go/', { secure: true, differs: [404, ON_ERRORS] }],
    ['/.well-known/acme-challenge/x', { secure: true, differs: [200, WELL_KNOWN] }],
  ],
}

/** Virtualmin: one block that names directories twice, and passwords of its own. */
const virtualmin: Family = {
  name: 'Apache as Virtualmin writes it',
  server: 'apache',
  main: 'apache2.conf',
  host: 'club.test',
  tree: { ...treeOf('home/club/public_html') },
  config: (place) => {
    const home = `${place.directory}/sites/home/club`
    const body = `
    SuexecUserGroup #1001 #1001
    ServerName club.test
    ServerAlias www.club.test
    ServerAlias mail.club.test
    DocumentRoot ${home}/public_html
    ErrorLog ${place.directory}/club_error.log
    CustomLog ${place.directory}/club_access.log combined
    ScriptAlias /cgi-bin/ ${home}/cgi-bin/
    DirectoryIndex index.php index.php4 index.php5 index.htm index.html
    <Directory ${home}/public_html>
        Options -Indexes +IncludesNOEXEC +SymLinksIfOwnerMatch
        Require all granted
        AllowOverride All Options=ExecCGI,Includes,IncludesNOEXEC,Indexes,MultiViews,SymLinksIfOwnerMatch
        AddType application/x-httpd-php .php
        AddHandler fcgid-script .php
    </Directory>
    <Directory ${home}/public_html/private>
        AuthType Basic
        AuthName "Members of the \\"club\\""
        AuthUserFile ${home}/.members
        Require valid-user
    </Directory>
    <Directory ${home}/cgi-bin>
        Require all granted
        AllowOverride All
    </Directory>
    <FilesMatch \\.php$>
        SetHandler proxy:unix:${place.socket}|fcgi://127.0.0.1
    </FilesMatch>
    RewriteEngine on
    RewriteCond %{HTTP_HOST} =mail.club.test
    RewriteRule ^(?!/.well-known)(.*) https://club.test:20000/ [R]
    RemoveHandler .php5
`
    return {
      'apache2.conf': `${apachePrelude(place)}
FileETag None
Define CLUB_HOME ${home}
<IfDefine CLUB_HOME>
  IncludeOptional sites-enabled/*.conf
</IfDefine>
`,
      'sites-enabled/club.conf': `
<VirtualHost 127.0.0.1:${place.port}>${body.replace(`${home}/public_html\n`, '${CLUB_HOME}/public_html\n').replace('    SuexecUserGroup #1001 #1001\n', '')}</VirtualHost>
<VirtualHost 127.0.0.1:${place.sslPort}>${body.replace('    SuexecUserGroup #1001 #1001\n', '')}
    SSLEngine on
    SSLCertificateFile ${place.certificate}
    SSLCertificateKeyFile ${place.key}
    SSLProtocol all -SSLv2 -SSLv3 -TLSv1 -TLSv1.1
</VirtualHost>
`,
      '../sites/home/club/.members': 'ann:$apr1$berthsal$rl9fukOteojlJ/DKahkNc0\n',
      '../sites/home/club/cgi-bin/.keep': '',
    }
  },
  asks: [
    ...withDifferences(
      panelAsks('club.test').filter(([target]) => target !== '/.htaccess'),
      [MISSING_SCRIPT],
    ),
    ['/'],
    ['/page.html?x=1'],
    ['/any/path', { host: 'mail.club.test' }],
    ['/any/path', { host: 'mail.club.test', secure: true }],
    ['/private/file.txt', { secure: true }],
    ['/private/file.txt', { headers: { authorization: `Basic ${btoa('ann:secret')}` } }],
    ['/private/file.txt', { headers: { authorization: `Basic ${btoa('ann:wrong')}` } }],
    ['/private/', { secure: true }],
  ],
}

export const panelFamilies: readonly Family[] = [cpanel, plesk, virtualmin]
