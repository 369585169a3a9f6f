import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/** Of the checkout, what stays here: its history, what runs made, and the packages, which have a disk of their own. */
const LEFT_OUT = ['.git', '.cache', '.svelte-kit', 'node_modules']

/** @param {string} root @param {readonly string[]} names @param {string} image */
const squash = (root, names, image) => {
  const { status, stderr, error } = spawnSync(
    'mksquashfs',
    [...names, image, '-noappend', '-no-progress', '-quiet', '-comp', 'lz4', '-all-root'],
    { cwd: root, encoding: 'utf8', stdio: ['ignore', 'ignore', 'pipe'] },
  )
  if (status !== 0) throw new Error(`mksquashfs failed: ${error?.message ?? stderr.trim()}`)
}

/** The packages change seldom, so their image is kept. @param {string} root @param {string} kept */
const packagesImage = (root, kept) => {
  const lock = readFileSync(join(root, 'node_modules/.package-lock.json'))
  const id = createHash('sha256').update(lock).digest('hex').slice(0, 12)
  const all = join(kept, 'machine-packages')
  const image = join(all, id)
  if (existsSync(image)) return image
  mkdirSync(all, { recursive: true })
  for (const name of readdirSync(all)) rmSync(join(all, name), { force: true })
  const work = join(all, `work-${process.pid}`)
  // Keeps the folder itself.
  squash(root, ['node_modules', 'package.json'], work)
  renameSync(work, image)
  return image
}

/**
 * Images of the checkout as it is now and of its packages, to be disks of a machine.
 *
 * @param {string} root
 * @param {string} kept
 * @param {string} work directory for what lasts as long as the machine
 */
export const checkoutImages = (root, kept, work) => {
  const checkout = join(work, 'checkout')
  const names = readdirSync(root).filter((name) => !LEFT_OUT.includes(name))
  squash(root, names, checkout)
  return { checkout, packages: packagesImage(root, kept) }
}
