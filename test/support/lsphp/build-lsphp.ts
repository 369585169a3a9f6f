import { createHash } from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  writeFileSync,
} from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { mustRun } from '#adapters/node/process/run-command.ts'
import { WHOLE } from '#test/support/sampled.ts'
import { madeOnce, testCache } from '#test/support/test-cache.ts'
import { fetchPhpSource } from './fetch-php-source.ts'

/** An lsphp laid out as LiteSpeed's packages install it: `<directory>/lsphp82/bin/lsphp`. */
export interface Lsphp {
  directory: string
  binary: string
  /** Major.minor. */
  version: string
}

/** Why tests of it are skipped where `buildLsphp` gives null. */
export const NO_LSPHP = 'no lsphp here: npm run test:all builds one'

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
const BUILD_ENV = { PATH: '/usr/bin:/bin', LC_ALL: 'C', CFLAGS: '-O0', HOME: '/nonexistent' }
/** A minute and a half on two cores that do nothing else; a machine that is busy takes its time. */
const STEP_MS = 2_400_000

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

const layOf = (directory: string, version: string) => {
  const installed = join(directory, `lsphp${version.replace('.', '')}`)
  return { bin: join(installed, 'bin'), ini: join(installed, 'etc/php', version, 'litespeed') }
}

/** Of the source package into `made`. */
const build = async (made: string, version: string): Promise<void> => {
  const work = join(made, 'work')
  mkdirSync(work)
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
  const { bin, ini } = layOf(made, version)
  for (const directory of [bin, ini]) mkdirSync(directory, { recursive: true })
  for (const [from, to] of [
    ['sapi/litespeed/php', `${bin}/lsphp`],
    ['modules/opcache.so', `${bin}/opcache.so`],
  ] as const) {
    await run('strip', ['--strip-debug', '-o', to, '--', from])
    chmodSync(to, 0o755)
  }
  copyFileSync(join(source.directory, 'php.ini-production'), `${ini}/php.ini-production`)
  await rm(work, { recursive: true })
}

/** PHP wants the whole path of OPcache, and the cache may be mounted elsewhere each time. */
const pointToOpcache = (directory: string, version: string): void => {
  const { bin, ini } = layOf(directory, version)
  const line = `\nzend_extension="${bin}/opcache.so"\n`
  const wanted = readFileSync(`${ini}/php.ini-production`, 'utf8') + line
  if (existsSync(`${ini}/php.ini`) && readFileSync(`${ini}/php.ini`, 'utf8') === wanted) return
  const changed = `${ini}/.php.ini.${Math.random().toString(36).slice(2)}`
  writeFileSync(changed, wanted)
  renameSync(changed, `${ini}/php.ini`)
}

/**
 * An lsphp; Debian has no package of it, but its PHP source holds the SAPI. Building
 * takes minutes, so only a whole run does it, and what it made is kept: any other run
 * gets that, or null.
 */
export const buildLsphp = async (): Promise<Lsphp | null> => {
  const version = wantedVersion()
  const directory = join(testCache('lsphp'), `${version}_${optionsHash()}`)
  if (!existsSync(directory)) {
    if (!WHOLE) return null
    await madeOnce(directory, (made) => build(made, version))
  }
  pointToOpcache(directory, version)
  return { directory, binary: join(layOf(directory, version).bin, 'lsphp'), version }
}
