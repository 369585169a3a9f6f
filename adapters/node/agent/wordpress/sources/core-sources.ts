import { compareVersions } from '#handlers/domain/wordpress/compare-versions.ts'
import type { Log } from '#handlers/ports/log.ts'
import { coresIn } from '../../../wordpress-cores/core-store.ts'
import { takePlacedCores } from '../../../wordpress-cores/placed-cores.ts'
import { readSources, readTree } from './read-source.ts'
import type { SourceTree } from './read-source.ts'

/** Of what was told already; beyond that it is told again. */
const MAX_WARNED = 200

/** What sites are installed from and updated to. */
export interface CoreSources {
  /** What lies on this host, newest first; read anew each time. */
  trees(): Promise<SourceTree[]>
}

/** What sources are made of; places are absolute. */
export interface CoreSourcesDeps {
  /** Unpacked. */
  folders: readonly string[]
  /** With archives of WordPress. */
  archives: readonly string[]
  stateDir: string
  log: Pick<Log, 'warn'>
}

/** Reads what administrators place while the agent runs: trees, archives, and what they add by `berth wordpress core`. */
export const createCoreSources = (deps: CoreSourcesDeps): CoreSources => {
  const directory = coresIn(deps.stateDir)
  const known = new Map<string, string>()
  const warned = new Set<string>()
  let under: ReturnType<typeof takePlacedCores> | null = null

  /** One at a time; who asks meanwhile waits for the same. */
  const stored = async () => {
    under ??= takePlacedCores(deps.archives, directory, known).finally(() => (under = null))
    const { cores, refused } = await under
    for (const { file, problem } of refused) {
      if (warned.has(`${file} ${problem}`)) continue
      if (warned.size >= MAX_WARNED) warned.clear()
      warned.add(`${file} ${problem}`)
      deps.log.warn('an archive of WordPress is not taken', { file, problem })
    }
    return cores
  }

  return {
    async trees() {
      const fromArchives = (await stored()).flatMap((core) => {
        const tree = readTree(core.directory, core.origin)
        return tree === null ? [] : [tree]
      })
      return [...fromArchives, ...readSources(deps.folders)].sort((a, b) =>
        compareVersions(b.version, a.version),
      )
    },
  }
}
