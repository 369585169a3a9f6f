import { existsSync, mkdirSync, readdirSync, readlinkSync, renameSync, rmSync } from 'node:fs'
import { chmodSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { invalid } from '#handlers/errors.ts'
import type { ApplicationRuntime } from '#handlers/ports/host/applications.ts'

/** An installed runtime: its version, and its programs by the names that they are called by. */
interface Installed {
  version: string
  programs: Record<string, string>
}

export interface RuntimesDeps {
  /** Holds `node-VERSION/bin/node`, as the npm packages `node-linux-*` unpack. */
  directory: string
  /** Ours; accounts pass through it and can change nothing in it. */
  runDir: string
  /** Where an npm of the host may lie. Default: Debian's places and those of Node's archives. */
  npmPlaces?: readonly string[]
  /** Holds `python3.X`; default `/usr/bin`. */
  binDirectory?: string
}

/** Runtimes of applications. */
export interface Runtimes {
  list(): { node: string[]; python: string[] }
  /** Directories of a runtime's programs to stand first in PATH. 400 where it is not installed. */
  path(runtime: ApplicationRuntime): string[]
}

const NPM_PLACES = [
  '/usr/lib/node_modules/npm/bin',
  '/usr/local/lib/node_modules/npm/bin',
  '/usr/share/nodejs/npm/bin',
]

const byVersion = ({ version: a }: Installed, { version: b }: Installed): number =>
  b.localeCompare(a, 'en', { numeric: true })

const names = (directory: string): string[] => {
  try {
    return readdirSync(directory)
  } catch {
    return []
  }
}

const targetOf = (link: string): string | null => {
  try {
    return readlinkSync(link)
  } catch {
    return null
  }
}

/** Finds what is installed, each time anew: an administrator adds and removes versions. */
export const createRuntimes = (deps: RuntimesDeps): Runtimes => {
  const npm = (): Record<string, string> => {
    const place = (deps.npmPlaces ?? NPM_PLACES).find((one) => existsSync(`${one}/npm-cli.js`))
    if (place === undefined) return {}
    return { npm: `${place}/npm-cli.js`, npx: `${place}/npx-cli.js` }
  }
  const nodes = (): Installed[] => {
    const added = names(deps.directory).flatMap((name): Installed[] => {
      const [, version] = /^node-(\d+\.\d+\.\d+)$/.exec(name) ?? []
      const binary = join(deps.directory, name, 'bin', 'node')
      return version !== undefined && existsSync(binary)
        ? [{ version, programs: { node: binary } }]
        : []
    })
    const own = process.versions.node
    const all = added.some(({ version }) => version === own)
      ? added
      : [...added, { version: own, programs: { node: process.execPath } }]
    return all
      .map(({ version, programs }) => ({ version, programs: { ...programs, ...npm() } }))
      .sort(byVersion)
  }
  const pythons = (): Installed[] => {
    const bin = deps.binDirectory ?? '/usr/bin'
    return names(bin)
      .flatMap((name): Installed[] => {
        const [, version] = /^python(3\.\d+)$/.exec(name) ?? []
        const binary = join(bin, name)
        return version === undefined
          ? []
          : [{ version, programs: { python: binary, python3: binary } }]
      })
      .sort(byVersion)
  }

  /** A directory in which each name is that program. */
  const linked = (name: string, programs: Record<string, string>): string => {
    const parent = join(deps.runDir, 'runtime-path')
    const directory = join(parent, name)
    mkdirSync(directory, { recursive: true })
    chmodSync(parent, 0o755)
    chmodSync(directory, 0o755)
    for (const [called, binary] of Object.entries(programs)) {
      const link = join(directory, called)
      if (targetOf(link) === binary) continue
      const fresh = `${link}.${process.pid}`
      rmSync(fresh, { force: true })
      symlinkSync(binary, fresh)
      renameSync(fresh, link)
    }
    return directory
  }

  return {
    list: () => ({
      node: nodes().map(({ version }) => version),
      python: pythons().map(({ version }) => version),
    }),
    path({ kind, version }) {
      if (kind === 'none') return []
      const all = kind === 'node' ? nodes() : pythons()
      const found = version === null ? all[0] : all.find((one) => one.version === version)
      if (found === undefined)
        throw invalid(
          'version',
          `version "${version ?? 'newest'}" of ${kind} is not installed. Installed: ${all.map((one) => one.version).join(', ') || 'none'}.`,
        )
      return [linked(`${kind}-${found.version}`, found.programs)]
    },
  }
}
