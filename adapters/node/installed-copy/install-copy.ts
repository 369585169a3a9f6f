import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  copyFileSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { hashSources, readProductionPackages } from './product-files.ts'

/** A complete copy of the product that nothing changes any more. */
export interface InstalledCopy {
  /** Holds `adapters/`, `handlers/`, `build/`, `package.json`, `node_modules`. */
  appDir: string
  /** The pinned Node that belongs to it. */
  node: string
}

/** What of the checkout the processes need. */
export const PRODUCT_ENTRIES = [
  'package.json',
  'handlers',
  'edge-cache',
  'adapters',
  'cli',
  'build',
  'scripts',
  'install.sh',
  'package-lock.json',
]

/** Packages inside packages have entries of their own; headers and manual of Node are a third of everything. */
const isUnneeded = (path: string): boolean =>
  path.endsWith('/node_modules') || /\/node_modules\/node-linux-[^/]+\/(include|share)$/.test(path)

/** Copies a tree as root's, readable by everyone, writable by root alone. Links are copied as links. */
const copyTree = (from: string, to: string, skip: (path: string) => boolean): void => {
  const stat = lstatSync(from)
  if (stat.isDirectory()) {
    mkdirSync(to, { mode: 0o755 })
    for (const name of readdirSync(from))
      if (!skip(join(from, name))) copyTree(join(from, name), join(to, name), skip)
    chmodSync(to, 0o755)
  } else if (stat.isSymbolicLink()) symlinkSync(readlinkSync(from), to)
  else if (stat.isFile()) {
    copyFileSync(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE)
    chmodSync(to, (stat.mode & 0o100) === 0 ? 0o644 : 0o755)
  }
}

/** Makes `target` by filling a temporary directory beside it and renaming that, so it is complete or absent. */
const makeWhole = (target: string, fill: (directory: string) => void): void => {
  const temporary = join(dirname(target), `.new-${randomBytes(6).toString('hex')}`)
  try {
    mkdirSync(temporary, { mode: 0o755 })
    fill(temporary)
    chmodSync(temporary, 0o755)
    renameSync(temporary, target)
  } catch (error) {
    rmSync(temporary, { recursive: true, force: true })
    // Another start made the same copy meanwhile.
    if (!existsSync(target)) throw error
  }
}

/** Copies that are used belong to root and nobody else may have written to them. */
const isTrusted = (directory: string): boolean => {
  const stat = lstatSync(directory, { throwIfNoEntry: false })
  return stat !== undefined && stat.isDirectory() && stat.uid === 0 && (stat.mode & 0o022) === 0
}

/**
 * Copies the product out of the checkout into `installDir`, keyed by content:
 * dependencies by the lock file, the rest by its sources and build. Root-owned
 * and world-readable, so it works for a checkout under `/root`, and a `git pull`
 * changes nothing under the feet of running processes. A copy that exists is used
 * as it is, which takes milliseconds; so is the copy that the caller itself runs from.
 */
export const installCopy = (checkout: string, installDir: string): InstalledCopy => {
  mkdirSync(installDir, { recursive: true, mode: 0o755 })
  if (!isTrusted(installDir))
    throw new Error(
      `${installDir} must belong to root and be writable by root alone: programs run as root from there. Fix its owner and mode, or set paths.install_dir.`,
    )
  const isCopy = dirname(checkout) === installDir && /^app-[0-9a-f]+$/.test(basename(checkout))
  if (isCopy && isTrusted(checkout)) {
    const now = new Date()
    utimesSync(checkout, now, now)
    return { appDir: checkout, node: nodeOf(checkout) }
  }
  const { hash: lockHash, packages } = readProductionPackages(checkout)
  const depsDir = join(installDir, `deps-${lockHash}`)
  if (!isTrusted(depsDir)) {
    rmSync(depsDir, { recursive: true, force: true })
    makeWhole(depsDir, (directory) => {
      for (const path of packages) {
        const target = join(directory, path)
        mkdirSync(dirname(target), { recursive: true, mode: 0o755 })
        copyTree(join(checkout, path), target, isUnneeded)
      }
    })
  }
  const appDir = join(installDir, `app-${hashSources(checkout, PRODUCT_ENTRIES, lockHash)}`)
  if (!isTrusted(appDir)) {
    rmSync(appDir, { recursive: true, force: true })
    makeWhole(appDir, (directory) => {
      for (const name of PRODUCT_ENTRIES)
        if (existsSync(join(checkout, name)))
          copyTree(join(checkout, name), join(directory, name), () => false)
      symlinkSync(join('..', `deps-${lockHash}`, 'node_modules'), join(directory, 'node_modules'))
    })
  }
  const now = new Date()
  for (const directory of [depsDir, appDir]) {
    chownSync(directory, 0, 0)
    utimesSync(directory, now, now) // the time of last use, for pruning
  }
  return { appDir, node: nodeOf(appDir) }
}

const nodeOf = (appDir: string): string =>
  join(appDir, 'node_modules', nodePackageName(), 'bin', 'node')

/** The package that carries the pinned Node for this machine. */
export const nodePackageName = (): string => `node-linux-${process.arch}`
