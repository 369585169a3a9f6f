import { createHash } from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { mustRun } from '#adapters/node/process/run-command.ts'
import { fetchPhpSource, NoSource } from './fetch-php-source.ts'

/** An lsphp laid out as LiteSpeed's packages install it: `<directory>/lsphp82/bin/lsphp`. */
export interface Lsphp {
  directory: string
  binary: string
  /** Major.minor. */
  version: string
}

/** Debian has no package of lsphp; its PHP source holds the SAPI. Kept between runs: a build takes minutes. */
const KEPT = '/var/tmp/berth-test-lsphp'
const OPTIONS = [
  '--disable-all',
  '--enable-litespeed',
  '--disable-cgi',
  '--disable-cli',
  '--disable-phpdbg',
  '--enable-session',
  '--enable-filter',
  '--enable-ctype',
  '--enable-tokenizer',
  '--enable-posix',
  '--enable-opcache',
  '--disable-opcache-jit',
]
const BUILD_ENV = { PATH: '/usr/bin:/bin', LC_ALL: 'C', CFLAGS: '-O1', HOME: '/nonexistent' }
const STEP_MS = 1_200_000
const NO_SOURCE_EXIT = 75

/** The PHP that the machine has besides, so that modes can be compared. */
const wantedVersion = (): string =>
  readdirSync('/usr/sbin')
    .flatMap((name) => /^php-fpm(\d+\.\d+)$/.exec(name)?.[1] ?? [])
    .sort((a, b) => b.localeCompare(a, 'en', { numeric: true }))[0] ?? '8.2'

const optionsHash = (): string =>
  createHash('sha256')
    .update([...OPTIONS, BUILD_ENV.CFLAGS].join(' '))
    .digest('hex')
    .slice(0, 12)

/** A finished build of these options, whichever patch level; null when there is none. */
const findBuilt = (version: string): Lsphp | null => {
  if (!existsSync(KEPT)) return null
  const name = readdirSync(KEPT)
    .filter((entry) => entry.startsWith(`${version}.`) && entry.endsWith(`_${optionsHash()}`))
    .sort((a, b) => b.localeCompare(a, 'en', { numeric: true }))[0]
  if (name === undefined) return null
  const directory = join(KEPT, name)
  const binary = join(directory, `lsphp${version.replace('.', '')}/bin/lsphp`)
  return { directory, binary, version }
}

const build = async (version: string): Promise<void> => {
  // Under the lock, so what is there was left by a killed build.
  for (const left of readdirSync(KEPT).filter((name) => name.startsWith('.work-')))
    rmSync(join(KEPT, left), { recursive: true })
  const work = mkdtempSync(join(KEPT, '.work-'))
  try {
    const source = await fetchPhpSource(work, `php${version}`)
    const run = (program: string, args: string[]): Promise<unknown> =>
      mustRun('/usr/bin/nice', ['-n', '10', program, ...args], {
        cwd: source.directory,
        env: BUILD_ENV,
        timeoutMs: STEP_MS,
        maxOutputBytes: 64 * 2 ** 20,
      })
    await run('./configure', OPTIONS)
    await run('make', ['-j2'])
    const made = join(work, 'made')
    const kept = `${source.version.replaceAll(/[^\w.~+-]/g, '-')}_${optionsHash()}`
    const installed = `lsphp${version.replace('.', '')}`
    const bin = join(made, installed, 'bin')
    const ini = join(made, installed, 'etc/php', version, 'litespeed')
    for (const directory of [bin, ini]) mkdirSync(directory, { recursive: true })
    for (const [from, to] of [
      ['sapi/litespeed/php', `${bin}/lsphp`],
      ['modules/opcache.so', `${bin}/opcache.so`],
    ] as const) {
      await run('strip', ['--strip-debug', '-o', to, '--', from])
      chmodSync(to, 0o755)
    }
    copyFileSync(join(source.directory, 'php.ini-production'), `${ini}/php.ini`)
    const opcache = join(KEPT, kept, installed, 'bin/opcache.so')
    writeFileSync(`${ini}/php.ini`, `\nzend_extension="${opcache}"\n`, { flag: 'a' })
    chmodSync(made, 0o755)
    renameSync(made, join(KEPT, kept))
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

/**
 * An lsphp from Debian's PHP source, built at most once per machine. Null, with
 * a notice, only when the source cannot be had; a build that fails rejects.
 */
export const buildLsphp = async (): Promise<Lsphp | null> => {
  const version = wantedVersion()
  const built = findBuilt(version)
  if (built) return built
  mkdirSync(KEPT, { recursive: true, mode: 0o755 })
  const owner = lstatSync(KEPT)
  if (!owner.isDirectory() || owner.uid !== process.getuid?.())
    throw new Error(`${KEPT} is not ours. Remove it.`)
  const locked = ['--conflict-exit-code', '76', '--timeout', '1800', '--', join(KEPT, '.lock')]
  try {
    const self = [process.execPath, fileURLToPath(import.meta.url), version]
    await mustRun('/usr/bin/flock', [...locked, ...self], { timeoutMs: 2 * STEP_MS })
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === NO_SOURCE_EXIT)) throw error
    console.warn(`lsapi is NOT tested: PHP's source cannot be had. ${error.message}`)
    return null
  }
  return findBuilt(version)
}

/** Under the lock, in a process of its own. */
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const version = process.argv[2] ?? wantedVersion()
  try {
    if (!findBuilt(version)) await build(version)
  } catch (error) {
    console.error(error)
    process.exitCode = error instanceof NoSource ? NO_SOURCE_EXIT : 1
  }
}
