import type { FamilyAsk } from '../support/family.ts'
import { commonAsks, commonTree, HIDDEN_REASON, phpAsks, phpTree } from './common.ts'

/** Why paths below `.well-known` may differ. */
export const WELL_KNOWN =
  'Rules do not count where certificate authorities look, so the front controller answers.'
/** Why a script that is not there may differ. */
export const MISSING_SCRIPT = [
  ['/missing.php'],
  404,
  'A script that is not there is no business of PHP: the site’s own page answers.',
] as const
/** Why headers of errors may differ. */
export const ON_ERRORS = 'Headers that are not for always are for successes alone.'

/** What every site of a panel is asked. */
export const panelAsks = (host: string): readonly FamilyAsk[] => [
  ...[...commonAsks, ...phpAsks].map(([target, options]): FamilyAsk => [
    target,
    { secure: true, ...options },
  ]),
  ['/', { secure: true }],
  ['/', { secure: true, host: `www.${host}` }],
  ['/echo.php/info/x?a=1', { secure: true }],
  ['/uploads/evil.php', { secure: true }],
  ['/.env', { secure: true, differs: [404, HIDDEN_REASON] }],
  ['/.htaccess', { secure: true, differs: [404, HIDDEN_REASON] }],
  ['/blog/a-post?x=1', { secure: true }],
  ['/blog/', { secure: true }],
  ['/nowhere', { secure: true }],
  ['/closed/file.txt', { secure: true }],
]

const BLOG: Record<string, string> = {
  '.htaccess':
    'RewriteEngine On\nRewriteBase /blog/\nRewriteRule ^index\\.php$ - [L]\nRewriteCond %{REQUEST_FILENAME} !-f\nRewriteCond %{REQUEST_FILENAME} !-d\nRewriteRule . /blog/index.php [L]\n',
  'index.php':
    "<?php header('Content-Type: text/plain; charset=utf-8'); echo 'blog ', $_SERVER['REQUEST_URI'];",
}

/** Files of such a site. */
export const treeOf = (root: string): Record<string, string> => ({
  ...commonTree(root),
  ...phpTree(root),
  ...Object.fromEntries(Object.entries(BLOG).map(([name, text]) => [`${root}/blog/${name}`, text])),
  [`${root}/uploads/.htaccess`]: '<FilesMatch "\\.php$">\n  Require all denied\n</FilesMatch>\n',
  [`${root}/closed/.htaccess`]: 'Require all denied\n',
  [`${root}/closed/file.txt`]: 'closed',
  [`${root}/404.shtml`]: '<p>own page</p>',
  [`${root}/error_docs/not_found.html`]: '<p>not found here</p>',
  [`${root}/private/file.txt`]: 'private',
})
