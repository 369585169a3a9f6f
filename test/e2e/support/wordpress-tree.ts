import { cp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { debianTree } from './debian-tree.ts'

/** Directory with a plain copy of Debian's WordPress, links resolved, without a wp-config.php. */
export const wordpressTree = (): Promise<string> =>
  debianTree({
    name: 'wordpress',
    // The packages besides WordPress are those that its links point into.
    packages: [
      'wordpress',
      'php-getid3',
      'libjs-cropper',
      'libjs-underscore',
      'wordpress-theme-twentytwentythree',
    ],
    make: async (root, tree) => {
      const share = join(root, 'usr/share/wordpress')
      await rm(join(share, 'wp-config.php'))
      // Dangling here: the package's own configuration lies in /etc.
      await rm(join(share, '.htaccess'))
      await cp(share, tree, { recursive: true, dereference: true })
    },
  })
