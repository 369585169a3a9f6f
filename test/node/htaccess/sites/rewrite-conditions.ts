import { ECHO_PHP, type CaseSite } from '../support/case-site.ts'

/** `RewriteCond`: what is tested, how, and what its captures give. */
export const rewriteConditions: CaseSite[] = [
  {
    name: 'rewrite-cond',
    tree: {
      '.htaccess': `RewriteEngine On
RewriteCond %{HTTP_HOST} ^www\\.(.+)$ [NC]
RewriteRule ^host/(.*)$ http://%1/to/$1 [R=301,L]
RewriteCond %{QUERY_STRING} (?:^|&)id=([0-9]+)(?:&|$)
RewriteRule ^query$ show.php?found=%1 [L]
RewriteCond %{QUERY_STRING} !=""
RewriteRule ^query$ show.php?other=1 [L]
RewriteCond %{REQUEST_METHOD} ^(?:PUT|DELETE)$
RewriteRule ^method$ - [F]
RewriteCond %{REQUEST_METHOD} =POST
RewriteRule ^method$ show.php?posted=1 [L]
RewriteRule ^method$ show.php?read=1 [L]
RewriteCond %{HTTP_USER_AGENT} (?:curl|wget) [NC,OR]
RewriteCond %{HTTP_USER_AGENT} ^$
RewriteRule ^agent$ - [F,L]
RewriteRule ^agent$ page.html [L]
RewriteCond %{HTTP_REFERER} !^$
RewriteCond %{HTTP_REFERER} !^https?://(?:www\\.)?rewrite-cond\\.test/ [NC]
RewriteRule ^referer$ - [F]
RewriteRule ^referer$ page.html [L]
RewriteCond %{HTTP_COOKIE} (?:^|;\\s*)lang=(de|fr)
RewriteRule ^language$ %1.html [L]
RewriteCond %{HTTP:Accept-Language} ^fr [NC]
RewriteRule ^language$ fr.html [L]
RewriteRule ^language$ en.html [L]
RewriteCond %{HTTP:X-Custom} =yes
RewriteRule ^custom$ page.html [L]
RewriteCond %{REMOTE_ADDR} ^127\\.0\\.0\\.1$
RewriteRule ^address$ page.html [L]
RewriteCond %{REMOTE_ADDR} !^127\\.
RewriteRule ^foreign$ page.html [L]
RewriteCond %{HTTPS} off
RewriteRule ^insecure$ https://%{HTTP_HOST}%{REQUEST_URI} [R=301,L]
RewriteCond %{HTTPS} =on
RewriteRule ^secure$ page.html [L]
RewriteCond %{REQUEST_SCHEME} =http
RewriteRule ^scheme$ page.html [L]
RewriteCond %{SERVER_PORT} ^443$
RewriteRule ^port443$ page.html [L]
RewriteCond %{THE_REQUEST} ^[A-Z]+\\s/the-request\\?raw=%41
RewriteRule ^the-request$ page.html [L]
RewriteCond %{REQUEST_FILENAME} -f
RewriteRule ^file/(.*)$ - [L]
RewriteCond %{DOCUMENT_ROOT}/cache/$1.html -f
RewriteRule ^cached/(.*)$ cache/$1.html [L]
RewriteCond %{REQUEST_FILENAME} -d
RewriteRule ^folder(?:/.*)?$ page.html [L]
RewriteCond %{DOCUMENT_ROOT}/empty.txt -s
RewriteRule ^size-empty$ page.html [L]
RewriteCond %{DOCUMENT_ROOT}/page.html -s
RewriteRule ^size-full$ page.html [L]
RewriteCond %{REQUEST_URI} ^/uri/([^/]+)/([^/]+)$
RewriteRule ^ show.php?one=%1&two=%2 [L]
RewriteCond $1 ^number-([0-9]+)$
RewriteRule ^backref/(.*)$ show.php?n=%1&all=$0 [L]
RewriteCond $1 >m
RewriteRule ^order/(.*)$ show.php?late=$1 [L]
RewriteCond $1 <m
RewriteRule ^order/(.*)$ show.php?early=$1 [L]
RewriteCond $1 -gt10
RewriteRule ^count/([0-9]+)$ show.php?many=$1 [L]
RewriteCond $1 -le5
RewriteRule ^count/([0-9]+)$ show.php?few=$1 [L]
RewriteRule ^count/([0-9]+)$ show.php?some=$1 [L]
RewriteCond %{HTTP_HOST}@@%{HTTP_REFERER} !^([^@]*)@@https?://\\1/.*
RewriteRule ^own-referer$ - [F]
RewriteRule ^own-referer$ page.html [L]
RewriteCond %{HTTP_HOST} =nobody.test [OR]
RewriteCond %{QUERY_STRING} =a
RewriteCond %{REQUEST_METHOD} =GET
RewriteRule ^and-or$ page.html [L]
RewriteCond expr "%{REQUEST_METHOD} == 'GET' && %{QUERY_STRING} =~ /x=1/"
RewriteRule ^expr$ page.html [L]
RewriteCond %{TIME_YEAR} ^20[0-9]{2}$
RewriteRule ^year$ page.html [L]
RewriteCond %{SERVER_PROTOCOL} ^HTTP/1\\.1$
RewriteRule ^protocol$ page.html [L]
RewriteCond %{ENV:T_MARK} =marked
RewriteRule ^marked$ page.html [L]
RewriteRule ^mark$ - [E=T_MARK:marked]
RewriteCond %{ENV:T_MARK} =marked
RewriteRule ^mark$ show.php?marked=1 [L]
RewriteCond %{HTTP:Authorization} .
RewriteRule ^token$ show.php [E=HTTP_AUTHORIZATION:%{HTTP:Authorization},L]
RewriteCond %{REQUEST_URI} !\\.html$
RewriteCond %{REQUEST_FILENAME} !-f
RewriteRule ^lazy/(.+)$ show.php?lazy=$1 [L]
`,
      'page.html': 'the page',
      'de.html': 'deutsch',
      'fr.html': 'français',
      'en.html': 'english',
      'empty.txt': '',
      'cache/front.html': 'cached front',
      'file/real.txt': 'a real file',
      'folder/index.html': 'never shown',
      'lazy/there.txt': 'there',
      'show.php': ECHO_PHP,
    },
    asks: [
      [301, '/host/a/b?c=d', { host: 'www.rewrite-cond.test' }],
      [301, '/host/a', { host: 'WWW.rewrite-cond.test' }],
      [404, '/host/a'],
      [200, '/query?x=1&id=42'],
      [200, '/query?id=none'],
      [404, '/query'],
      [403, 'DELETE /method'],
      [200, 'POST /method', {}, 'a=1'],
      [200, '/method'],
      [403, '/agent', { 'user-agent': 'Wget/1.2' }],
      [403, '/agent'],
      [200, '/agent', { 'user-agent': 'Mozilla/5.0' }],
      [200, '/referer'],
      [403, '/referer', { referer: 'http://thief.test/' }],
      [200, '/referer', { referer: 'https://www.rewrite-cond.test/a' }],
      [200, '/language', { cookie: 'a=b; lang=de' }],
      [200, '/language', { 'accept-language': 'FR-ca' }],
      [200, '/language'],
      [200, '/custom', { 'x-custom': 'yes' }],
      [404, '/custom', { 'x-custom': 'no' }],
      [200, '/address'],
      [404, '/foreign'],
      [301, '/insecure?a=1'],
      [404, '/secure'],
      [200, '/scheme'],
      [404, '/port443'],
      [200, '/the-request?raw=%41'],
      [404, '/the-request?raw=A'],
      [200, '/file/real.txt'],
      [404, '/file/none.txt'],
      [200, '/cached/front'],
      [404, '/cached/none'],
      [200, '/folder/'],
      [404, '/size-empty'],
      [200, '/size-full'],
      [200, '/uri/first/second?x=1'],
      [200, '/backref/number-77'],
      [404, '/backref/none'],
      [200, '/order/zebra'],
      [200, '/order/apple'],
      [200, '/count/11'],
      [200, '/count/5'],
      [200, '/count/7'],
      [200, '/own-referer', { referer: 'http://rewrite-cond.test/x' }],
      [403, '/own-referer', { referer: 'http://thief.test/x' }],
      [200, '/and-or?a'],
      [404, '/and-or?b'],
      [404, 'HEAD /and-or?b'],
      [200, '/expr?x=1'],
      [404, '/expr?x=2'],
      [200, '/year'],
      [200, '/protocol'],
      [404, '/marked'],
      [200, '/mark'],
      [200, '/token', { authorization: 'Bearer abc' }],
      [404, '/token?none'],
      [200, '/lazy/there.txt'],
      [200, '/lazy/missing.txt?a=b'],
    ],
  },
]
