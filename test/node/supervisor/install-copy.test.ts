import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { installCopy, nodePackageName } from '#adapters/node/installed-copy/install-copy.ts'
import { pruneCopies } from '#adapters/node/installed-copy/prune-copies.ts'
import { temporaryDirectory } from '#test/support/setups/temporary-directory.ts'

let dir: string
let checkout: string
let install: string
beforeEach(() => {
  dir = temporaryDirectory('binst-')
  chmodSync(dir, 0o700) // a clone that only its owner may enter
  checkout = join(dir, 'clone')
  install = join(dir, 'opt')
  const put = (path: string, text: string, mode = 0o600): void => {
    mkdirSync(join(checkout, path, '..'), { recursive: true })
    writeFileSync(join(checkout, path), text, { mode })
  }
  const entries: Record<string, object> = {
    '': { name: 'berth' },
    [`node_modules/${nodePackageName()}`]: { optional: true },
    'node_modules/node-linux-other': { optional: true },
    'node_modules/used': {},
    'node_modules/used/node_modules/inner': {},
    'node_modules/tool': { dev: true },
  }
  put('package-lock.json', JSON.stringify({ packages: entries }))
  put('package.json', '{"type":"module"}')
  put('adapters/node/bin/web.ts', 'export {}')
  put('handlers/a.ts', 'export {}')
  put('build/handler.js', 'export {}')
  put('test/secret.test.ts', 'export {}')
  put(`node_modules/${nodePackageName()}/bin/node`, '#!/bin/sh\n', 0o700)
  put(`node_modules/${nodePackageName()}/include/node.h`, 'x')
  put('node_modules/used/index.js', 'x')
  put('node_modules/used/node_modules/inner/index.js', 'x')
  put('node_modules/tool/index.js', 'x')
})

/** Every path below a directory, relative. */
const tree = (root: string): string[] => readdirSync(root, { recursive: true }).map(String).sort()

test('holds sources, build and run-time packages, readable by all and writable by root alone', () => {
  const { appDir, node } = installCopy(checkout, install)
  const files = tree(appDir)
  expect(files).toContain('adapters/node/bin/web.ts')
  expect(files).toContain('build/handler.js')
  expect(files.some((path) => path.startsWith('test'))).toBe(false)
  const modules = join(appDir, 'node_modules')
  expect(existsSync(join(modules, 'used/node_modules/inner/index.js'))).toBe(true)
  expect(existsSync(join(modules, 'tool'))).toBe(false)
  expect(existsSync(join(modules, nodePackageName(), 'include'))).toBe(false)
  expect(statSync(node).mode & 0o777).toBe(0o755)
  for (const path of tree(install)) {
    const stat = lstatSync(join(install, path))
    if (stat.isSymbolicLink()) continue
    expect([
      path,
      stat.uid,
      (stat.mode & (stat.isDirectory() ? 0o777 : 0o666)).toString(8),
    ]).toEqual([path, process.getuid?.(), stat.isDirectory() ? '755' : '644'])
  }
})

test('is made once per content: the same again, another after a change', () => {
  const first = installCopy(checkout, install)
  const made = statSync(join(first.appDir, 'handlers/a.ts')).ino
  expect(installCopy(checkout, install)).toEqual(first)
  expect(statSync(join(first.appDir, 'handlers/a.ts')).ino).toBe(made)
  writeFileSync(join(checkout, 'handlers/a.ts'), 'export const changed = 1')
  const second = installCopy(checkout, install)
  expect(second.appDir).not.toBe(first.appDir)
  expect(readFileSync(join(first.appDir, 'handlers/a.ts'), 'utf8')).toBe('export {}')
  expect(readdirSync(install).filter((name) => name.startsWith('deps-'))).toHaveLength(1)
})

test('refuses a directory that others may write to, and replaces a copy that is not root’s', () => {
  mkdirSync(install)
  chmodSync(install, 0o777)
  expect(() => installCopy(checkout, install)).toThrow(/must belong to root/)
  chmodSync(install, 0o755)
  const { appDir } = installCopy(checkout, install)
  writeFileSync(join(appDir, 'handlers/a.ts'), 'evil')
  chownSync(appDir, 12_345, 12_345)
  expect(readFileSync(join(installCopy(checkout, install).appDir, 'handlers/a.ts'), 'utf8')).toBe(
    'export {}',
  )
})

test('old copies go, but not the current one, a recent one, or one that a process runs from', async () => {
  const make = (text: string): string => {
    writeFileSync(join(checkout, 'handlers/a.ts'), text)
    return installCopy(checkout, install).appDir
  }
  const [old, used, recent, current] = [make('1'), make('2'), make('3'), make('4')]
  const longAgo = new Date(Date.now() - 3 * 24 * 3600 * 1000)
  mkdirSync(join(install, 'deps-00ff'))
  mkdirSync(join(install, 'not-ours'))
  symlinkSync('/nowhere', join(install, 'link'))
  for (const path of [old, used, current, join(install, 'deps-00ff'), join(install, 'not-ours')])
    utimesSync(path, longAgo, longAgo)
  const child = spawn('/bin/sh', ['-c', 'read line', join(used, 'adapters/node/bin/web.ts')])
  await once(child, 'spawn')
  try {
    pruneCopies(install, current, Date.now())
  } finally {
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  const left = readdirSync(install).filter(
    (name) => !name.startsWith('deps-') || name === 'deps-00ff',
  )
  expect(left.sort()).toEqual(
    [used, recent, current]
      .map((path) => path.slice(install.length + 1))
      .concat('link', 'not-ours')
      .sort(),
  )
})
