import { ECHO, type FamilyAsk } from '../support/family.ts'

const HIDDEN = 'A hidden file or a copy that an editor leaves looks as if nothing were there.'

/** Files that every site of the comparison has. */
export const commonTree = (root: string): Record<string, string> => ({
  [`${root}/index.html`]: '<p>home</p>',
  [`${root}/page.html`]: '<p>page</p>',
  [`${root}/style.css`]: 'body{}',
  [`${root}/script.js`]: 'let a',
  [`${root}/data.json`]: '{}',
  [`${root}/note.txt`]: 'note',
  [`${root}/photo.jpg`]: 'jpg',
  [`${root}/sub/index.html`]: '<p>sub</p>',
  [`${root}/sub/deep/file.html`]: '<p>deep</p>',
  [`${root}/empty/.keep`]: '',
  [`${root}/.env`]: 'SECRET=1',
  [`${root}/.well-known/security.txt`]: 'Contact: x',
  [`${root}/with space.html`]: '<p>space</p>',
  [`${root}/ünï.html`]: '<p>unicode</p>',
})

/** Requests for them that mean the same everywhere. */
export const commonAsks: readonly FamilyAsk[] = [
  ['/page.html'],
  ['/page.html?x=1'],
  ['/style.css'],
  ['/script.js'],
  ['/data.json'],
  ['/note.txt'],
  ['/photo.jpg'],
  ['/sub/'],
  ['/sub'],
  ['/sub?x=1'],
  ['/sub/deep'],
  ['/sub/deep/file.html'],
  ['/sub/deep/file.html', { method: 'HEAD' }],
  ['/empty/'],
  ['/.well-known/security.txt'],
  ['/with%20space.html'],
  ['/%C3%BCn%C3%AF.html'],
  ['/page.html', { headers: { range: 'bytes=0-2' } }],
  ['/page.html', { headers: { 'if-modified-since': 'Fri, 02 Jan 2026 03:04:05 GMT' } }],
  ['/sub/deep/'],
  ['/sub//deep/file.html'],
  ['/sub/../page.html'],
  ['/%70age.html'],
  ['/style.css', { method: 'HEAD' }],
  ['/note.txt', { headers: { range: 'bytes=1-' } }],
  ['/photo.jpg?v=2'],
  ['/sub/index.html'],
  ['/sub/none.txt'],
]

export const HIDDEN_REASON = HIDDEN

/** Scripts that every site with PHP has. */
export const phpTree = (root: string): Record<string, string> => ({
  [`${root}/index.php`]: ECHO,
  [`${root}/echo.php`]: ECHO,
  [`${root}/fail.php`]: "<?php http_response_code(503); echo 'down';",
  [`${root}/header.php`]: "<?php header('X-Own: 1'); header('Location: /page.html');",
  [`${root}/uploads/evil.php`]: ECHO,
  [`${root}/uploads/photo.jpg`]: 'jpg',
})

export const phpAsks: readonly FamilyAsk[] = [
  ['/echo.php'],
  ['/echo.php?a=1&b=%20'],
  ['/echo.php', { method: 'POST' }],
  ['/fail.php'],
  ['/header.php'],
  ['/missing.php'],
  ['/uploads/photo.jpg'],
]

/** The same requests, some of them with an answer that is meant to differ. */
export const withDifferences = (
  asks: readonly FamilyAsk[],
  differences: readonly (readonly [targets: readonly string[], status: number, reason: string])[],
): readonly FamilyAsk[] =>
  asks.map(([target, options]) => {
    const found = differences.find(([targets]) => targets.includes(target))
    if (!found) return [target, options ?? {}]
    const [, status, reason] = found
    return [target, { ...options, differs: [status, reason] }]
  })
