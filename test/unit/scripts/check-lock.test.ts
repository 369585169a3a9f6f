import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { checkLock, licenseList, lockProblems } from '../../../scripts/checks/check-lock.mjs'

const ROOT = join(import.meta.dirname, '../../..')
const INTEGRITY = `sha512-${'A'.repeat(86)}==`

type Lock = Parameters<typeof lockProblems>[0]
const WANTED = { dependencies: { good: '1.0.0' } }
const lockOf = (entry: Lock['packages'][string], name = 'good'): Lock => ({
  lockfileVersion: 3,
  packages: {
    '': WANTED,
    [`node_modules/${name}`]: { version: '1.0.0', integrity: INTEGRITY, license: 'MIT', ...entry },
  },
})

interface Manifest {
  scripts?: Record<string, string>
  gypfile?: boolean
}

/** Whether npm would run something when it installs the package in `directory`. */
const bringsScript = (directory: string): boolean => {
  const { scripts = {}, gypfile } = JSON.parse(
    readFileSync(join(directory, 'package.json'), 'utf8'),
  ) as Manifest
  const named = ['preinstall', 'install', 'postinstall'].some((name) => name in scripts)
  return named || (gypfile !== false && existsSync(join(directory, 'binding.gyp')))
}

describe('the lock of the packages', () => {
  it('is in order, and its list of licences the present one', () => {
    expect(checkLock(ROOT)).toEqual([])
  })

  it('is no lock of other packages', () => {
    expect(lockProblems(lockOf({}), WANTED)).toEqual([])
    const lock = lockOf({})
    expect(lockProblems(lock, { dependencies: { good: '1.0.1' } })).toEqual([
      expect.stringContaining('dependencies of package.json are others'),
    ])
    expect(lockProblems({ ...lock, lockfileVersion: 2 }, WANTED)).toHaveLength(1)
  })

  it.each([
    ['a version that may be any', { version: '^1.0.0' }, 'has no version'],
    ['no checksum', { integrity: '' }, 'has no SHA-512'],
    ['a weak checksum', { integrity: 'sha1-AAAA' }, 'has no SHA-512'],
    ['a link', { link: true }, 'is a link'],
    ['another source', { resolved: 'git+ssh://git@example.com/x.git' }, 'not from the registry'],
    ['another registry', { resolved: 'https://registry.npmjs.org.evil.test/x' }, 'not from the'],
    ['an install script', { hasInstallScript: true }, 'wants to run a script'],
    ['a licence that may not be shipped', { license: 'GPL-3.0-only' }, 'is under GPL-3.0-only'],
    ['one of several', { license: 'MIT AND AGPL-3.0-only' }, 'is under MIT AND'],
    ['a tool’s licence', { license: 'MPL-2.0' }, 'is under MPL-2.0'],
  ])('with %s is told of', (_, entry, told) => {
    expect(lockProblems(lockOf(entry), WANTED)).toEqual([expect.stringContaining(told)])
  })

  it('takes one of two licences, those of tools for tools, and scripts that are known', () => {
    for (const entry of [
      { license: '(BSD-3-Clause OR GPL-2.0)' },
      { license: 'MPL-2.0', dev: true },
    ])
      expect(lockProblems(lockOf(entry), WANTED)).toEqual([])
    expect(lockProblems(lockOf({ hasInstallScript: true }, 'esbuild'), WANTED)).toEqual([])
  })

  it('lists what is shipped, tools left out', () => {
    expect(licenseList(lockOf({}).packages)).toContain('- `good` 1.0.0: MIT\n')
    expect(licenseList(lockOf({ dev: true }).packages)).not.toContain('`good`')
  })

  it('goes with packages that really bring no other script', () => {
    const { packages } = JSON.parse(
      readFileSync(join(ROOT, 'node_modules/.package-lock.json'), 'utf8'),
    ) as { packages: Record<string, unknown> }
    // npm's own word on it differs by how it came to know a package.
    const scripted = Object.keys(packages).filter((path) => bringsScript(join(ROOT, path)))
    expect(scripted.length).toBeGreaterThan(0)
    for (const path of scripted)
      expect(path).toMatch(/node_modules\/(?:cpu-features|esbuild|ssh2|workerd)$/)
  })
})
