import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { mustRun } from '#adapters/node/process/run-command.ts'

/** The source cannot be had: no network, no such package. Not a fault of ours. */
export class NoSource extends Error {}

/** An unpacked source package. */
export interface PhpSource {
  directory: string
  /** Debian's, e.g. `8.2.32-1~deb12u1`. */
  version: string
}

const FETCH_MS = 300_000

/** It says where the machine's own packages come from, whichever mirrors those are. */
const ETC = '/etc/apt'

/** The same places with their sources instead of their packages. */
const writeSourcePlaces = (directory: string): void => {
  mkdirSync(directory)
  const parts = join(ETC, 'sources.list.d')
  const files = [
    join(ETC, 'sources.list'),
    ...(existsSync(parts) ? readdirSync(parts).map((name) => join(parts, name)) : []),
  ].filter((file) => /\.(list|sources)$/.test(file) && existsSync(file))
  for (const file of files) {
    const changed = readFileSync(file, 'utf8')
      .replaceAll(/^Types:.*$/gim, 'Types: deb-src')
      .split('\n')
      .map((line) => line.replace(/^deb(-src)?(?=\s)/, 'deb-src'))
    // A place that was listed with both.
    const unique = file.endsWith('.list') ? [...new Set(changed)] : changed
    writeFileSync(join(directory, basename(file)), unique.join('\n'))
  }
}

/**
 * Fetches and unpacks a PHP source package below `work`, newest version first.
 * Lists and configuration are private, so that the machine's apt stays as it is.
 * Rejects with `NoSource`.
 */
export const fetchPhpSource = async (work: string, name: string): Promise<PhpSource> => {
  const path = (part: string): string => join(work, part)
  mkdirSync(path('lists/partial'), { recursive: true })
  mkdirSync(path('cache/archives/partial'), { recursive: true })
  mkdirSync(path('source'))
  writeSourcePlaces(path('places'))
  writeFileSync(
    path('apt.conf'),
    [
      'Dir::Etc::sourcelist "/dev/null";',
      `Dir::Etc::sourceparts "${path('places')}";`,
      `Dir::State::lists "${path('lists')}";`,
      `Dir::Cache "${path('cache')}";`,
      'APT::Sandbox::User "root";',
      '',
    ].join('\n'),
  )
  const apt = async (program: string, args: string[]): Promise<string> => {
    const run = mustRun(program, args, {
      cwd: path('source'),
      env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C', APT_CONFIG: path('apt.conf') },
      timeoutMs: FETCH_MS,
      maxOutputBytes: 16 * 2 ** 20,
    })
    const { stdout } = await run.catch((error: unknown) => {
      throw new NoSource(String(error), { cause: error })
    })
    return stdout
  }
  // A place that cannot be reached, or has no sources, is no matter when another one has PHP's.
  let refusal: unknown = new NoSource(`no source package ${name}`)
  await apt('apt-get', ['-q', 'update']).catch((error: unknown) => (refusal = error))
  const listed = await apt('apt-cache', ['showsrc', '--', name]).catch(() => '')
  const versions = [...listed.matchAll(/^Version: (\S+)$/gm)].map(([, version = '']) => version)
  const newestFirst = versions.sort((a, b) => b.localeCompare(a, 'en', { numeric: true }))
  // Mirrors sometimes list a version whose files are not there any more.
  for (const version of newestFirst) {
    try {
      await apt('apt-get', ['-q', 'source', '--', `${name}=${version}`])
    } catch (error) {
      refusal = error
      continue
    }
    const [directory] = readdirSync(path('source'), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => path(`source/${entry.name}`))
    if (directory !== undefined) return { directory, version }
  }
  throw refusal
}
