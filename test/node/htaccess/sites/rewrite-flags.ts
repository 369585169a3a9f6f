import { ECHO_PHP, type CaseSite } from '../support/case-site.ts'

/** What each flag of RewriteRule does. */
export const rewriteFlags: CaseSite[] = [
  {
    name: 'rewrite-flags',
    tree: {
      '.htaccess': `RewriteEngine On
RewriteRule ^plain$ target.html
RewriteRule ^slash-target$ /target.html
RewriteRule ^slash-last$ /target.html [L]
RewriteRule ^item/([0-9]+)/([a-z]+)$ show.php?id=$1&name=$2 [L]
RewriteRule ^keep/(.*)$ show.php?first=$1 [QSA,L]
RewriteRule ^keepb/(.*)$ show.php?first=$1 [QSA,B,L]
RewriteRule ^drop/(.*)$ show.php?first=$1 [L]
RewriteRule ^same/(.*)$ show.php [L]
RewriteRule ^bare/(.*)$ show.php? [L]
RewriteRule ^discard/(.*)$ show.php [QSD,L]
RewriteRule ^r$ /target.html [R,L]
RewriteRule ^r301$ /target.html [R=301,L]
RewriteRule ^r303$ /target.html [R=303,L]
RewriteRule ^r307$ /target.html [R=307,L]
RewriteRule ^r308$ /target.html [R=308,L]
RewriteRule ^rpermanent$ /target.html [R=permanent,L]
RewriteRule ^rquery$ /target.html?a=b [R=301,L]
RewriteRule ^rqsa$ /target.html?a=b [R=301,QSA,L]
RewriteRule ^rbare$ /target.html? [R=301,L]
RewriteRule ^rrelative$ target.html [R=301,L]
RewriteRule ^outside$ http://other.test/there [R=302,L]
RewriteRule ^implicit$ https://other.test/there
RewriteRule ^implicit-own$ http://rewrite-flags.test/target.html
RewriteRule ^anchor$ /target.html#part [R=302,NE,L]
RewriteRule ^anchor-escaped$ /target.html#part [R=302,L]
RewriteRule ^noescape/(.*)$ /target.html?q=$1%20x [R=302,NE,L]
RewriteRule ^escape/(.*)$ /page/$1 [R=302,L]
RewriteRule ^escapeb/(.*)$ /page?x=$1 [R=302,B,L]
RewriteRule ^forbidden$ - [F]
RewriteRule ^gone$ - [G]
RewriteRule ^status404$ - [R=404,L]
RewriteRule ^status410$ - [R=410,L]
RewriteRule ^status503$ - [R=503,L]
RewriteRule ^CASE$ target.html [NC,L]
RewriteRule ^Strict$ target.html [L]
RewriteRule ^chain-no$ chained [C]
RewriteRule ^never$ forbidden.html [C]
RewriteRule ^chained$ target.html
RewriteRule ^chain-yes$ half [C]
RewriteRule ^half$ target.html
RewriteRule ^skip$ - [S=1]
RewriteRule ^skip$ /other.html [R=302,L]
RewriteRule ^skip$ /target.html [R=302,L]
RewriteRule ^cookie$ target.html [CO=seen:yes:.rewrite-flags.test:1440:/,L]
RewriteRule ^cookie-secure$ target.html [CO=s:1:rewrite-flags.test:0:/:secure:httponly,L]
RewriteRule ^env/(.*)$ show.php [E=T_GIVEN:$1,E=T_FLAG,L]
RewriteRule ^type$ plain.txt [T=application/x-special,L]
RewriteRule ^end$ stage [END]
RewriteRule ^last$ stage [L]
RewriteRule ^stage$ target.html
RewriteRule ^next-(.*)a(.*)$ next-$1b$2 [N]
RewriteRule ^next-(.*)$ show.php?n=$1 [L]
RewriteRule \\.special$ - [T=application/x-special]
RewriteRule !^(target|other|as|plain|show|missing|pass|dash|sub|stage|half|chained|forbidden).* /not-matched.html [R=302,L]
RewriteRule ^dash - [L]
RewriteRule ^pass$ target.html [PT]
RewriteRule ^missing$ nothing.html
RewriteRule ^missing-last$ nothing.html [END]
`,
      'target.html': 'the target',
      'other.html': 'other',
      'as.special': 'special',
      'plain.txt': 'plain text',
      'dash.html': 'untouched',
      'sub/index.html': 'index of sub',
      'show.php': ECHO_PHP,
    },
    asks: [
      [200, '/plain'],
      [302, '/slash-target'],
      [200, '/slash-last'],
      [200, '/item/12/abc'],
      [200, '/item/12/abc?more=1'],
      [200, '/keep/x?more=1'],
      [403, '/keep/a%20b?more=%41'],
      [200, '/keep/a%2Bb'],
      [200, '/keepb/a%20b%26c?more=%41'],
      [200, '/keepb/caf%C3%A9'],
      [200, '/drop/x?more=1'],
      [200, '/same/x?more=1'],
      [200, '/bare/x?more=1'],
      [200, '/discard/x?more=1'],
      [302, '/r'],
      [301, '/r301'],
      [301, '/r301?a=1&b=2'],
      [303, '/r303'],
      [307, 'POST /r307', {}, 'x=1'],
      [308, 'POST /r308', {}, 'x=1'],
      [301, '/rpermanent'],
      [301, '/rquery?c=d'],
      [301, '/rqsa?c=d'],
      [301, '/rbare?c=d'],
      [301, '/rrelative'],
      [302, '/outside?a=1'],
      [302, '/implicit'],
      [302, '/implicit-own'],
      [302, '/anchor'],
      [302, '/anchor-escaped'],
      [302, '/noescape/v'],
      [302, '/escape/a%20b'],
      [403, '/escape/%C3%A4%3F'],
      [302, '/escape/%C3%A4'],
      [302, '/escapeb/a%26b%3Dc'],
      [403, '/forbidden'],
      [403, 'POST /forbidden', {}, 'a=1'],
      [410, '/gone'],
      [404, '/status404'],
      [410, '/status410'],
      [503, '/status503'],
      [200, '/case'],
      [302, '/strict'],
      [200, '/chain-yes'],
      [404, '/chained'],
      [302, '/never'],
      [302, '/skip'],
      [200, '/cookie'],
      [200, '/cookie-secure'],
      [200, '/env/value'],
      [200, '/type'],
      [200, '/as.special'],
      [404, '/end'],
      [200, '/last'],
      [200, '/next-aaaa'],
      [302, '/anything-else'],
      [200, '/dash.html'],
      [200, '/pass'],
      [302, '/missing'],
      [404, '/missing-last'],
      [200, 'HEAD /plain'],
      [200, 'POST /keep/p?x=1', { 'content-type': 'application/json' }, '{"a":1}'],
      [301, '/sub'],
      [200, '/sub/'],
    ],
  },
]
