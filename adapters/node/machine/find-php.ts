import { access, constants, readdir } from 'node:fs/promises'
import type { PhpMode } from '#handlers/ports/store/records.ts'

/** An installed PHP with the binary of each way to run it. */
export interface InstalledPhp {
  /** Major.minor. */
  version: string
  binaries: Partial<Record<'cli' | PhpMode, string>>
}

/** Where PHP binaries lie; the defaults are Debian's. */
export interface PhpPlaces {
  sbinDirectory?: string
  binDirectory?: string
  /** Holds `lsphp82/bin/lsphp`, as LiteSpeed's packages install it. */
  lswsDirectory?: string
}

const isExecutable = async (path: string): Promise<boolean> =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  )

const byVersion = (a: string, b: string): number => {
  const [aMajor = 0, aMinor = 0] = a.split('.').map(Number)
  const [bMajor = 0, bMinor = 0] = b.split('.').map(Number)
  return aMajor - bMajor || aMinor - bMinor
}

/** Candidates in one directory whose name matches; group 1 (and 2) of `pattern` is the version. */
const scan = async (
  directory: string,
  pattern: RegExp,
  pathOf: (name: string) => string,
): Promise<{ version: string; path: string }[]> => {
  const names = await readdir(directory).catch(() => [])
  const found = names.flatMap((name) => {
    const match = pattern.exec(name)
    if (!match) return []
    const version = match[2] === undefined ? (match[1] ?? '') : `${match[1]}.${match[2]}`
    return [{ version, path: pathOf(name) }]
  })
  const usable = await Promise.all(found.map(({ path }) => isExecutable(path)))
  return found.filter((_, index) => usable[index])
}

/** Every installed PHP, newest first. Reads directories only; nothing is run. */
export const detectPhp = async (places: PhpPlaces = {}): Promise<InstalledPhp[]> => {
  const sbin = places.sbinDirectory ?? '/usr/sbin'
  const bin = places.binDirectory ?? '/usr/bin'
  const lsws = places.lswsDirectory ?? '/usr/local/lsws'
  const inBin = (name: string): string => `${bin}/${name}`
  const [fpm, cgi, cli, lsphp, lswsPhp] = await Promise.all([
    scan(sbin, /^php-fpm(\d\.\d+)$/, (name) => `${sbin}/${name}`),
    scan(bin, /^php-cgi(\d\.\d+)$/, inBin),
    scan(bin, /^php(\d\.\d+)$/, inBin),
    scan(bin, /^lsphp(\d)\.?(\d+)$/, inBin),
    scan(lsws, /^lsphp(\d)(\d+)$/, (name) => `${lsws}/${name}/bin/lsphp`),
  ])
  const versions = new Map<string, InstalledPhp>()
  const add = (kind: 'cli' | PhpMode, found: { version: string; path: string }[]): void => {
    for (const { version, path } of found) {
      const entry = versions.get(version) ?? { version, binaries: {} }
      entry.binaries[kind] ??= path
      versions.set(version, entry)
    }
  }
  add('fpm', fpm)
  add('cgi', cgi)
  add('cli', cli)
  add('lsapi', [...lsphp, ...lswsPhp])
  return [...versions.values()].sort((a, b) => byVersion(b.version, a.version))
}

/** The version of accounts that chose none: the configured one if installed, else the newest with FPM. */
export const defaultPhpVersion = (
  installed: readonly InstalledPhp[],
  configured: string | null,
): string | null => {
  const usable = installed.filter((php) => php.binaries.fpm !== undefined)
  return (usable.find((php) => php.version === configured) ?? usable[0])?.version ?? null
}
