import { existsSync } from 'node:fs'
import { cp, mkdir, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { mustRun } from '#adapters/node/process/run-command.ts'

/** Debian's WordPress and the packages that its links point into. */
const PACKAGES = [
  'wordpress',
  'php-getid3',
  'libjs-cropper',
  'libjs-underscore',
  'wordpress-theme-twentytwentythree',
]
/** World-readable, because the account's own user copies from it. */
const CACHE = '/var/tmp/berth-test-wordpress'

/**
 * Directory with a plain copy of Debian's WordPress, links resolved, without a
 * wp-config.php. Unpacked once per machine from the .deb files; nothing of it is
 * in the repository.
 */
export const wordpressTree = async (): Promise<string> => {
  const tree = join(CACHE, 'tree')
  if (existsSync(join(tree, 'wp-login.php'))) return tree
  const work = `${CACHE}.${process.pid}`
  await rm(work, { recursive: true, force: true })
  await mkdir(join(work, 'root'), { recursive: true })
  try {
    await mustRun('apt-get', ['download', ...PACKAGES], { cwd: work, timeoutMs: 300_000 })
    for (const file of await readdir(work)) {
      if (file.endsWith('.deb')) await mustRun('dpkg', ['-x', join(work, file), join(work, 'root')])
    }
    const share = join(work, 'root/usr/share/wordpress')
    await rm(join(share, 'wp-config.php'))
    // Dangling here: the package's own configuration lies in /etc.
    await rm(join(share, '.htaccess'))
    await cp(share, join(work, 'tree'), { recursive: true, dereference: true })
    await rm(CACHE, { recursive: true, force: true })
    await mkdir(CACHE, { recursive: true, mode: 0o755 })
    await rename(join(work, 'tree'), tree)
    return tree
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}
