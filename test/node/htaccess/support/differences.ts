/** Requests where the answer is meant to differ from Apache's, what it is, and why. */
export interface Difference {
  site: string
  targets: readonly string[]
  /** What ours answers. */
  status: number
  reason: string
}

const NO_FILE_SYSTEM_PATHS =
  'Apache shows the path in the server’s file system; ours leads to the file’s address.'

/** Every difference that is wanted; a test fails when one of them is none any more. */
export const DIFFERENCES: readonly Difference[] = [
  {
    site: 'own-ways',
    targets: ['/.env', '/.git/config', '/.htaccess', '/wp-config.php.bak', '/code.inc'],
    status: 404,
    reason:
      'Hidden files, copies that editors leave and source code look as if nothing were there.',
  },
  {
    site: 'access',
    targets: ['/.htaccess'],
    status: 404,
    reason: 'A hidden file looks as if nothing were there.',
  },
  {
    site: 'own-ways',
    targets: ['/a/route', '/photo.jpg/y.php', '/page.html/more'],
    status: 200,
    reason:
      'Where nothing is, and no rules lead to a script, index.php of the document root answers.',
  },
  {
    site: 'path-info',
    targets: ['/photo.jpg/x.php/', '/photo.jpg/x.php/echo.php/', '/page.html/'],
    status: 200,
    reason: 'The same: what is no script runs nothing, and index.php of the root answers.',
  },
  { site: 'rewrite-flags', targets: ['/rrelative'], status: 301, reason: NO_FILE_SYSTEM_PATHS },
  { site: 'nested', targets: ['/child/redirect'], status: 302, reason: NO_FILE_SYSTEM_PATHS },
  { site: 'odd-paths', targets: ['/page.old'], status: 301, reason: NO_FILE_SYSTEM_PATHS },
  {
    site: 'header',
    targets: ['/own.php'],
    status: 200,
    reason: 'Header rules reach what a script sent, as with PHP inside Apache; not with php-fpm.',
  },
  {
    site: 'bypass',
    targets: ['/walled'],
    status: 301,
    reason: 'The rules of a directory count from its slash on; what is in it stays closed.',
  },
  {
    site: 'nested',
    targets: ['/off/top'],
    status: 200,
    reason: 'A file of unknown type is sent as bytes, so that browsers do not guess.',
  },
  {
    site: 'odd-paths',
    targets: ['/shop/../shop/x', '/./shop/./x'],
    status: 200,
    reason: 'PHP sees the one spelling of an address that the page cache knows it by.',
  },
  {
    site: 'odd-paths',
    targets: ['/shop/a%2Fb'],
    status: 200,
    reason: 'An escaped slash is for the application to judge; it never names a file.',
  },
]

/** The difference that is wanted for a request; undefined where there is none. */
export const differenceFor = (site: string, target: string): Difference | undefined =>
  DIFFERENCES.find((one) => one.site === site && one.targets.includes(target))
