import { cp, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { mustRun } from '#adapters/node/process/run-command.ts'
import { madeOnce, testCache } from '#test/support/test-cache.ts'
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

/** MD5 sums of the files of Debian's package as its own list has them, by their paths in the tree. */
export const packageSums = async (): Promise<Map<string, string>> => {
  const directory = await madeOnce(join(testCache('wordpress-sums'), 'sums'), async (made) => {
    await mustRun('apt-get', ['download', 'wordpress'], { cwd: made, timeoutMs: 300_000 })
    for (const file of await readdir(made))
      if (file.endsWith('.deb'))
        await mustRun('dpkg-deb', ['--control', join(made, file), join(made, 'control')])
  })
  const text = await readFile(join(directory, 'control/md5sums'), 'utf8')
  const prefix = 'usr/share/wordpress/'
  return new Map(
    text.split('\n').flatMap((line) => {
      const [sum = '', path = ''] = line.split(/ +/, 2)
      return path.startsWith(prefix) ? [[path.slice(prefix.length), sum] as const] : []
    }),
  )
}
