import { ECHO_PHP, type CaseSite } from '../support/case-site.ts'

/** Expressions, each of which names a header where it holds. */
const HOLDING: readonly string[] = [
  `"%{REQUEST_URI}" == "/page.html"`,
  `%{REQUEST_URI} = '/page.html'`,
  `%{REQUEST_URI} != '/page.html'`,
  `%{QUERY_STRING} -eq 10`,
  `%{QUERY_STRING} -gt 9`,
  `%{QUERY_STRING} gt 9`,
  `%{QUERY_STRING} > 9`,
  `%{REQUEST_METHOD} in { 'GET', 'HEAD' }`,
  `%{REQUEST_METHOD} -in {'POST'}`,
  `! %{REQUEST_METHOD} == 'POST'`,
  `not %{REQUEST_METHOD} == 'POST'`,
  `%{REQUEST_METHOD} == 'POST' or %{REQUEST_URI} =~ /html$/`,
  `true && false || true`,
  `(%{REQUEST_METHOD} == 'GET') && !(-z %{QUERY_STRING})`,
  `-n %{QUERY_STRING}`,
  `-z %{QUERY_STRING}`,
  `-T 'yes'`,
  `-T 'Off'`,
  `-T req('X-Flag')`,
  `req('X-Flag') == 'on'`,
  `http('x-flag') =~ m#^O#i`,
  `%{req:X-Flag} == 'on'`,
  `%{HTTP:X-Flag} !~ /^off/`,
  `reqenv('T_SET') == 'given'`,
  `%{reqenv:T_SET} == 'given'`,
  `env('T_SET') -strmatch 'g*n'`,
  `%{REQUEST_URI} -strmatch '/*.html'`,
  `%{REQUEST_URI} -strmatch '/p?ge.html'`,
  `%{REQUEST_URI} -strmatch '*.css'`,
  `%{REQUEST_URI} -strcmatch '/PAGE.*'`,
  `%{REQUEST_URI} -fnmatch '/*.html'`,
  `%{REQUEST_URI} -fnmatch '*'`,
  `%{REMOTE_ADDR} -ipmatch '127.0.0.0/8'`,
  `-R '127.0.0.0/8'`,
  `-R '10.0.0.0/8'`,
  `tolower(%{REQUEST_METHOD}) == 'get'`,
  `toupper('a' . 'b') == 'AB'`,
  `'/' . 'page.html' == %{REQUEST_URI}`,
  `%{REQUEST_METHOD} . %{REQUEST_URI} == 'GET/page.html'`,
  `escape('a b') == 'a%20b'`,
  `unescape('a%20b') == 'a b'`,
  `base64('abc') == 'YWJj'`,
  `unbase64('YWJj') == 'abc'`,
  `tolower(unbase64('QUJD')) == 'abc'`,
  `%{REQUEST_URI} =~ m#^/(\\\\w+)\\\\.# && $1 == 'page'`,
  `%{REQUEST_STATUS} == 200`,
  `%{REQUEST_STATUS} -ge 400`,
  `%{CONTENT_TYPE} =~ m#^text/html#`,
  `%{CONTENT_TYPE} =~ m#text/(css|html|javascript)|application/pdf|xml#i`,
  `resp('X-Before') == 'set'`,
  `%{resp:X-Before} == 'set'`,
  `resp('X-After') == 'set'`,
  `-z resp('X-Absent')`,
  `resp('X-From-Php') == 'php' && %{REQUEST_STATUS} == 200`,
]

const quoted = (expression: string): string => `"expr=${expression.replaceAll('"', '\\"')}"`

/** Expressions of Apache 2.4, of requests and of responses. */
export const expressions: CaseSite[] = [
  {
    name: 'expressions',
    tree: {
      '.htaccess': `SetEnv T_SET given
SetEnvIf Request_URI . T_SET=given
Header set X-Before set
${HOLDING.map((expression, number) => `Header set X-E${number} yes ${quoted(expression)}`).join('\n')}
Header set X-After set
Header set X-Value "expr=%{REQUEST_URI} of %{HTTP_HOST}: 100% %{reqenv:T_SET}"
Header set X-Type "expr=<%{CONTENT_TYPE}>" "expr=%{CONTENT_TYPE} =~ m#^text/css#"
Header append X-Flag "expr=%{req:X-Flag}" env=T_SET
RequestHeader set X-T-Given "expr=given %{REQUEST_METHOD}"
Header always set X-Always yes "expr=%{REQUEST_STATUS} == 404"
`,
      'page.html': 'page',
      'style.css': 'a{}',
      'data.json': '{}',
      'own.php': `<?php header('X-From-Php: php'); header('Content-Type: text/html'); echo $_SERVER['HTTP_X_T_GIVEN'] ?? 'none';`,
      'teapot.php': `<?php http_response_code(418); header('Content-Type: text/plain'); echo 'tea';`,
      'echo.php': ECHO_PHP,
    },
    asks: [
      [200, '/page.html'],
      [200, '/page.html?10'],
      [200, '/page.html?9', { 'x-flag': 'on' }],
      [200, 'HEAD /page.html', { 'x-flag': 'off' }],
      [200, '/style.css'],
      [200, '/data.json'],
      [200, '/own.php'],
      [418, '/teapot.php'],
      [404, '/missing.html'],
    ],
  },
]
