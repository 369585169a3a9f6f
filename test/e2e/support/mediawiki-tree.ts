import { cp, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { debianTree } from './debian-tree.ts'

/** Directory with a plain copy of Debian's MediaWiki with one skin, without extensions and a LocalSettings.php. */
export const mediawikiTree = (): Promise<string> =>
  debianTree({
    name: 'mediawiki',
    packages: ['mediawiki', 'mediawiki-classes'],
    make: async (root, tree) => {
      const share = join(root, 'usr/share/mediawiki')
      // Links into /var, and much that is of no use to these tests.
      for (const name of ['LocalSettings.php', 'config', 'extensions', 'images', 'extensions-core'])
        await rm(join(share, name), { recursive: true })
      for (const name of ['MinervaNeue', 'Timeless', 'Vector'])
        await rm(join(share, 'skins', name), { recursive: true })
      await cp(share, tree, { recursive: true, dereference: true })
      for (const name of ['extensions', 'images']) await mkdir(join(tree, name))
    },
  })
