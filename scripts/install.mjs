// The second half of install.sh, on the pinned Node: packages and the panel's build, then the
// installer itself, which may import what was just installed.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ensureBuild, isBuildStale } from './build.mjs'
import { ensureDebianPackages, HOSTING_PACKAGES, SYSTEMD_PACKAGES } from './debian-packages.mjs'
import { ensurePackages, pinnedNode } from './packages.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const args = process.argv.slice(2)
const withoutPackages = args.includes('--no-packages')

try {
  if (!args.includes('--uninstall')) {
    // An archive with its build needs no tools to make one.
    ensurePackages(root, { withoutDev: !isBuildStale(root) })
    ensureBuild(root)
    const needed = [
      ...HOSTING_PACKAGES,
      ...(existsSync('/run/systemd/system') ? SYSTEMD_PACKAGES : []),
    ]
    if (!withoutPackages && !ensureDebianPackages(needed))
      throw new Error(
        'Debian packages that hosting needs could not be installed; the reason stands above. Fix it, or add --no-packages.',
      )
  }
} catch (error) {
  console.error(`Berth was not installed: ${error instanceof Error ? error.message : error}`)
  process.exit(1)
}
const installer = join(root, 'adapters/node/bin/install.ts')
const { status } = spawnSync(
  pinnedNode(root),
  [installer, ...args.filter((arg) => arg !== '--no-packages')],
  { stdio: 'inherit' },
)
process.exit(status ?? 1)
