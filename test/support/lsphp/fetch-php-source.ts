import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
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

/** `deb-src` lines for the release that runs here. */
const sourceLines = (): string[] => {
  const release = readFileSync('/etc/os-release', 'utf8')
  const codename = /^VERSION_CODENAME="?([a-z]+)/m.exec(release)?.[1]
  if (codename === undefined) throw new NoSource('/etc/os-release names no release')
  if (/^ID="?ubuntu/m.test(release)) {
    const from = 'deb-src http://archive.ubuntu.com/ubuntu'
    return ['', '-updates', '-security'].map(
      (pocket) => `${from} ${codename}${pocket} main universe`,
    )
  }
  return [
    `deb-src http://deb.debian.org/debian ${codename} main`,
    `deb-src http://deb.debian.org/debian-security ${codename}-security main`,
  ]
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
  writeFileSync(path('sources.list'), `${sourceLines().join('\n')}\n`)
  writeFileSync(
    path('apt.conf'),
    [
      `Dir::Etc::sourcelist "${path('sources.list')}";`,
      'Dir::Etc::sourceparts "-";',
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
  await apt('apt-get', ['-q', 'update'])
  const listed = await apt('apt-cache', ['showsrc', '--', name])
  const versions = [...listed.matchAll(/^Version: (\S+)$/gm)].map(([, version = '']) => version)
  const newestFirst = versions.sort((a, b) => b.localeCompare(a, 'en', { numeric: true }))
  let refusal: unknown = new NoSource(`no source package ${name}`)
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
