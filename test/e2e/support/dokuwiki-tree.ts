import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { mustRun } from '#adapters/node/process/run-command.ts'
import { debianTree } from './debian-tree.ts'

/** DokuWiki and the libraries that Debian packages apart from it. */
const PACKAGES = [
  'dokuwiki',
  'php-geshi',
  'php-phpseclib',
  'php-random-compat',
  'libphp-simplepie',
  ...['jquery', 'jquery-cookie', 'jquery-ui'].map((name) => `libjs-${name}`),
]

/** Makes what the package looks for in `/usr/share` part of the program. */
const bringLibraries = async (directory: string): Promise<void> => {
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith('.php')) continue
    const file = join(entry.parentPath, entry.name)
    const text = await readFile(file, 'utf8')
    const own = text.replaceAll(
      /'(\/usr\/share\/(?:php|php-geshi|javascript)\/)/g,
      "DOKU_INC . 'debian$1",
    )
    if (own !== text) await writeFile(file, own)
  }
}

/** Directory with a plain copy of Debian's DokuWiki, its configuration, data and libraries in it as its authors ship it. */
export const dokuwikiTree = (): Promise<string> =>
  debianTree({
    name: 'dokuwiki',
    packages: PACKAGES,
    make: async (root, tree) => {
      const share = join(root, 'usr/share/dokuwiki')
      // Links and settings that name /etc and /var.
      for (const file of ['.htaccess', 'lib/tpl', 'lib/plugins', 'inc/preload.php'])
        await rm(join(share, file))
      for (const file of ['acl.auth.php', 'users.auth.php'])
        await rm(join(root, 'etc/dokuwiki', file))
      await cp(share, tree, { recursive: true })
      await cp(join(root, 'etc/dokuwiki'), join(tree, 'conf'), { recursive: true })
      await cp(join(root, 'var/lib/dokuwiki/lib'), join(tree, 'lib'), { recursive: true })
      await cp(join(root, 'var/lib/dokuwiki/data'), join(tree, 'data'), { recursive: true })
      await cp(join(share, '.htaccess.dist'), join(tree, '.htaccess'))
      const libraries = join(tree, 'debian/usr/share')
      await mkdir(libraries, { recursive: true })
      for (const name of ['php', 'php-geshi', 'javascript'])
        await cp(join(root, 'usr/share', name), join(libraries, name), {
          recursive: true,
          dereference: true,
        })
      for (const name of ['inc', 'lib/exe', 'vendor']) await bringLibraries(join(tree, name))
      // Data is the web server's alone in the package.
      await mustRun('chmod', ['-R', 'a+rX', '--', tree])
    },
  })
