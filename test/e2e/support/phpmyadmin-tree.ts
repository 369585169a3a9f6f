import { cp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { debianTree } from './debian-tree.ts'

/** phpMyAdmin and the libraries that Debian packages apart from it. */
const PACKAGES = [
  'phpmyadmin',
  ...['codemirror', 'jquery', 'jquery-metadata', 'jquery-mousewheel', 'jquery-tablesorter'].map(
    (name) => `libjs-${name}`,
  ),
  ...['jquery-timepicker', 'jquery-ui'].map((name) => `libjs-${name}`),
  ...['composer-ca-bundle', 'fig-http-message-util', 'getallheaders', 'google-recaptcha'].map(
    (name) => `php-${name}`,
  ),
  ...['mariadb-mysql-kbs', 'nikic-fast-route', 'twig', 'twig-i18n-extension'].map(
    (name) => `php-${name}`,
  ),
  ...['motranslator', 'shapefile', 'sql-parser'].map((name) => `php-phpmyadmin-${name}`),
  ...['cache', 'container', 'http-factory', 'http-message', 'log'].map((name) => `php-psr-${name}`),
  ...['cache', 'cache-contracts', 'config', 'dependency-injection', 'deprecation-contracts'].map(
    (name) => `php-symfony-${name}`,
  ),
  ...['expression-language', 'filesystem', 'polyfill-php80', 'service-contracts'].map(
    (name) => `php-symfony-${name}`,
  ),
  'php-symfony-var-exporter',
  'php-slim-psr7',
  'php-webmozart-assert',
]

/** Directory with `web`, Debian's phpMyAdmin with its links resolved, and `php`, the libraries it includes. */
export const phpmyadminTree = (): Promise<string> =>
  debianTree({
    name: 'phpmyadmin',
    packages: PACKAGES,
    make: async (root, tree) => {
      const share = join(root, 'usr/share')
      // Of no use to the program, and partly dangling.
      await rm(join(share, 'phpmyadmin/doc'), { recursive: true })
      await cp(join(share, 'phpmyadmin'), join(tree, 'web'), { recursive: true, dereference: true })
      await cp(join(share, 'php'), join(tree, 'php'), { recursive: true, dereference: true })
    },
  })
