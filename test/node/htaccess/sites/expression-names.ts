import { ECHO_PHP, type CaseSite } from '../support/case-site.ts'

/**
 * All that the page about expressions in Apache's documentation (`expr.html`) names, each with what
 * becomes of it: `same`, a test that both servers have to answer alike, or that it is refused.
 */
const VARIABLES: Readonly<Record<string, 'value' | 'refused' | string>> = {
  HTTP_ACCEPT: 'value',
  HTTP_COOKIE: 'value',
  HTTP_FORWARDED: 'value',
  HTTP_HOST: 'value',
  HTTP_PROXY_CONNECTION: 'value',
  HTTP_REFERER: 'value',
  HTTP_USER_AGENT: 'value',
  REQUEST_METHOD: 'value',
  REQUEST_SCHEME: 'value',
  REQUEST_URI: 'value',
  DOCUMENT_URI: 'value',
  // Behind php-fpm they begin with its address.
  REQUEST_FILENAME: '%{REQUEST_FILENAME} =~ m#{root}/.*(?:echo|page|none)#',
  SCRIPT_FILENAME: '%{SCRIPT_FILENAME} =~ m#{root}/.*(?:echo|page|none)#',
  LAST_MODIFIED: 'refused',
  SCRIPT_USER: 'refused',
  SCRIPT_GROUP: 'refused',
  PATH_INFO: 'value',
  QUERY_STRING: 'value',
  IS_SUBREQ: 'value',
  THE_REQUEST: 'value',
  REMOTE_ADDR: 'value',
  REMOTE_PORT: '%{REMOTE_PORT} -gt 1023',
  REMOTE_HOST: 'value',
  REMOTE_USER: 'value',
  REMOTE_IDENT: 'value',
  SERVER_NAME: 'value',
  SERVER_PORT: '%{SERVER_PORT} -gt 1',
  SERVER_ADMIN: '-n %{SERVER_NAME} || -n %{SERVER_ADMIN}',
  SERVER_PROTOCOL: 'value',
  DOCUMENT_ROOT: 'value',
  AUTH_TYPE: 'value',
  // The charset that a server adds by itself is no part of it in Apache.
  CONTENT_TYPE: '%{CONTENT_TYPE} =~ m#^text/html#',
  HANDLER: 'refused',
  HTTP2: 'value',
  HTTPS: 'value',
  IPV6: 'value',
  REQUEST_STATUS: 'value',
  REQUEST_LOG_ID: 'refused',
  CONN_LOG_ID: 'refused',
  CONN_REMOTE_ADDR: 'value',
  CONTEXT_PREFIX: 'value',
  CONTEXT_DOCUMENT_ROOT: 'value',
  TIME_YEAR: 'value',
  TIME_MON: 'value',
  TIME_DAY: 'value',
  TIME_HOUR: '%{TIME_HOUR} =~ /^[0-9][0-9]$/',
  TIME_MIN: '%{TIME_MIN} =~ /^[0-9][0-9]$/',
  TIME_SEC: '%{TIME_SEC} =~ /^[0-9][0-9]$/',
  TIME_WDAY: 'value',
  TIME: '%{TIME} =~ /^20[0-9]{12}$/',
  SERVER_SOFTWARE: '-n %{SERVER_SOFTWARE}',
  API_VERSION: '%{API_VERSION} =~ /^[0-9]+/',
}

/** Functions with one argument that shows what they do. */
const FUNCTIONS: Readonly<Record<string, string>> = {
  req: 'X-Flag',
  http: 'X-Flag',
  req_novary: 'X-Flag',
  resp: 'X-Before',
  reqenv: 'T_SET',
  osenv: 'NO_SUCH_NAME',
  note: 'no-such-note',
  env: 'T_SET',
  tolower: 'A b.C',
  toupper: 'A b.C',
  escape: 'a b%c',
  unescape: 'a%20b',
  base64: 'a b',
  unbase64: 'YSBi',
}
/** `v` is named in a sentence of that page alone, and Apache does not know it; nor does it let `.htaccess` read files. */
const REFUSED_FUNCTIONS = ['v', 'md5', 'sha1', 'file', 'filesize', 'ldap'] as const

/** Each operator, where it holds and where it does not. */
const OPERATORS: readonly string[] = [
  ...[
    "'a' == 'a'",
    "'a' = 'a'",
    "'a' != 'a'",
    "'a' < 'b'",
    "'b' <= 'a'",
    "'b' > 'a'",
    "'a' >= 'b'",
  ],
  ...["'abc' =~ /b/", "'abc' !~ /b/", "'abc' =~ m#B#i"],
  ...["'10' -eq '010'", "'10' eq '9'", "'1' -ne '2'", "'1' ne '1'", "'2' -lt '10'", "'2' lt '1'"],
  ...["'2' -le '2'", "'3' le '2'", "'10' -gt '9'", "'9' gt '10'", "'9' -ge '10'", "'10' ge '9'"],
  ...["'127.0.0.1' -ipmatch '127.0.0.0/8'", "'10.0.0.1' -ipmatch '127.0.0.0/8'"],
  ...["'abc' -strmatch 'a?c'", "'abc' -strmatch '[ab]*'", "'ABC' -strmatch 'a*'"],
  ...["'ABC' -strcmatch 'a*'", "'a/b' -fnmatch 'a*'", "'a/b' -fnmatch 'a/*'"],
  ...["'a' -in {'a','b'}", "'c' in {'a','b'}"],
  ...["-d '{root}'", "-d '{root}/page.html'", "-e '{root}/page.html'", "-e '{root}/none'"],
  ...["-f '{root}/page.html'", "-f '{root}'", "-s '{root}/page.html'", "-s '{root}/empty.txt'"],
  ...["-L '{root}/page.html'", "-h '{root}/page.html'", "-F '{root}/page.html'"],
  ...["-n 'a'", "-n ''", "-z ''", "-z 'a'", "-T 'yes'", "-T 'no'", "-T '0'", "-T ''", "-T 'FALSE'"],
  ...["-R '127.0.0.0/8'", "-R '10.0.0.0/8'"],
  ...["!('a' == 'b')", 'true && false', 'false || true', "'ab' == 'a' . 'b'", '1 -eq 1'],
  ...["'xay' =~ /x(.)y/ && $1 == 'a'", "'a' == 'A' || tolower('A') == 'a'"],
]
const REFUSED_OPERATORS = ["-U '/page.html'", "-A '/page.html'"] as const

const values = Object.entries(VARIABLES).filter(([, what]) => what === 'value')
const tests = Object.values(VARIABLES).filter((what) => what !== 'value' && what !== 'refused')
const called = Object.entries(FUNCTIONS).map(([name, text]) => `${name}('${text}')`)
const holding = [...OPERATORS, ...tests, ...called.map((call) => `-n ${call}`)]

/** Rules that rewrite do not know yet what the response will be. */
const asked = holding.filter((test) => !test.includes('CONTENT_TYPE'))

const quoted = (text: string): string => text.replaceAll('"', '\\"')

/** One directory for each way that an expression is written, and for each that is refused. */
const ways: Readonly<Record<string, string>> = {
  header: `SetEnvIf Request_URI . T_SET=given
Header set X-Before set
${values.map(([name]) => `Header set X-V-${name.replaceAll('_', '-')} "expr=<%{${name}}>"`).join('\n')}
${Object.entries(FUNCTIONS)
  .map(([name, text]) => `Header set X-F-${name.replaceAll('_', '-')} "expr=<%{${name}:${text}}>"`)
  .join('\n')}
${holding.map((test, at) => `Header set X-H-${at} yes "expr=${quoted(test)}"`).join('\n')}
`,
  section: holding
    .map((test, at) => `<If "${quoted(test)}">\n  Header set X-I-${at} yes\n</If>`)
    .join('\n'),
  rewriting: `RewriteEngine On
${asked
  .map((test, at) => `RewriteCond expr "${quoted(test)}"\nRewriteRule ^ - [E=T_R_${at}:yes]`)
  .join('\n')}
${asked.map((_, at) => `Header set X-R-${at} yes env=T_R_${at}`).join('\n')}
`,
  ...Object.fromEntries(
    [...OPERATORS, ...tests].map((test, at) => [
      `require-${at}`,
      `Require expr "${quoted(test)}"\n`,
    ]),
  ),
}
const refused = [
  ...Object.entries(VARIABLES).flatMap(([name, what]) =>
    what === 'refused' ? [`-n %{${name}}`] : [],
  ),
  ...REFUSED_FUNCTIONS.map((name) => `-n ${name}('{root}/page.html')`),
  ...REFUSED_OPERATORS,
]

/** Directories whose expressions Berth refuses, so that they answer 500 and not something else. */
export const REFUSED = refused.map((_, at) => `/refused-${at}/page.html`)

export const expressionNames: CaseSite[] = [
  {
    name: 'expression-names',
    tree: {
      'page.html': 'page',
      'empty.txt': '',
      ...Object.fromEntries(
        Object.entries(ways).flatMap(([name, rules]) => [
          [`${name}/.htaccess`, rules],
          [`${name}/page.html`, 'page'],
          [`${name}/echo.php`, ECHO_PHP],
        ]),
      ),
      ...Object.fromEntries(
        refused.flatMap((test, at) => [
          [`refused-${at}/.htaccess`, `<If "${quoted(test)}">\n  Header set X-A a\n</If>\n`],
          [`refused-${at}/page.html`, 'page'],
        ]),
      ),
    },
    asks: [
      [200, '/header/page.html?a=1', { 'x-flag': 'on', cookie: 'a=b', referer: 'http://x.test/' }],
      [200, '/header/page.html', { accept: 'text/html', forwarded: 'for=x', 'user-agent': 'me' }],
      [200, 'HEAD /header/page.html'],
      [200, '/header/echo.php/info?x'],
      [404, '/header/none'],
      [200, '/section/page.html', { 'x-flag': 'on' }],
      [200, '/rewriting/page.html', { 'x-flag': 'on' }],
    ],
  },
]

/** Whom `Require expr` lets in, and what is refused: the status is Apache's own to say. */
export const REQUIRED = [...OPERATORS, ...tests].map((_, at) => `/require-${at}/page.html`)
