import { readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Family, FamilyAsk } from '../support/family.ts'
import { nginxPrelude } from '../support/source-server.ts'
import { commonAsks, commonTree, HIDDEN_REASON } from './common.ts'

/** The tree of a package's configuration, links resolved. */
const treeOf = (directory: string, below = ''): Record<string, string> =>
  Object.fromEntries(
    readdirSync(join(directory, below)).flatMap((name) => {
      const path = join(below, name)
      const real = realpathSync(join(directory, path))
      if (statSync(real).isDirectory()) return Object.entries(treeOf(directory, path))
      return [[path, readFileSync(real, 'utf8')]]
    }),
  )

const HOST = 'default.test'
const asks: readonly FamilyAsk[] = [
  ...commonAsks,
  ['/'],
  ['/', { method: 'HEAD' }],
  ['/index.html'],
  ['/?a=b'],
  ['/missing'],
  ['/missing.html'],
  ['/missing/'],
  ['/sub/missing'],
  ['/page.html', { headers: { range: 'bytes=-2' } }],
  ['/page.html', { headers: { range: 'bytes=900-' } }],
  ['/page.html', { headers: { 'if-modified-since': 'Thu, 01 Jan 2015 03:04:05 GMT' } }],
  ['/PAGE.html'],
  ['/page.html/'],
  ['/style.css?v=2'],
  ['/sub/index.html'],
  ['/sub/?q=1'],
  ['/a/b/c/d'],
]

export const debianFamilies: readonly Family[] = [
  {
    name: 'Debian’s Apache as it is installed',
    server: 'apache',
    main: 'apache2.conf',
    input: '.',
    host: HOST,
    tree: commonTree('html'),
    config: ({ directory, port, sslPort }) =>
      Object.fromEntries(
        Object.entries(treeOf('/etc/apache2')).map(([path, text]) => [
          path,
          text
            .replaceAll('/var/www/html', `${directory}/sites/html`)
            .replaceAll('/var/www/', `${directory}/sites/`)
            .replace(/^(\s*)Options Indexes FollowSymLinks/m, '$1Options FollowSymLinks')
            .replace(/^(\s*)Listen 80$/m, `$1Listen 127.0.0.1:${port}`)
            .replace(/^(\s*)Listen 443$/gm, `$1Listen 127.0.0.1:${sslPort}`)
            .replaceAll('*:80>', `*:${port}>`),
        ]),
      ),
    asks: [
      ...asks,
      ['/.env', { differs: [404, HIDDEN_REASON] }],
      ['/.htaccess', { differs: [404, HIDDEN_REASON] }],
      ['/server-status', { differs: [404, 'Berth has no such page.'] }],
    ],
  },
  {
    name: 'Debian’s nginx as it is installed',
    server: 'nginx',
    main: 'nginx.conf',
    host: HOST,
    tree: commonTree('html'),
    config: (place) => ({
      'nginx.conf': `${nginxPrelude(place)}include ${place.directory}/etc/sites-enabled/*;\n}\n`,
      'sites-enabled/default': readFileSync('/etc/nginx/sites-available/default', 'utf8')
        .replace('listen 80 default_server', `listen 127.0.0.1:${place.port} default_server`)
        .replace('listen [::]:80 default_server;', '')
        .replaceAll('/var/www/html', `${place.directory}/sites/html`),
    }),
    asks: [
      ...asks,
      ['/.env', { differs: [404, HIDDEN_REASON] }],
      ['/page.html', { method: 'DELETE' }],
    ],
  },
]
