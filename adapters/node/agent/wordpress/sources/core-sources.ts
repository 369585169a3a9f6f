import { forInstall, forSite } from '#handlers/domain/wordpress/choose-source.ts'
import { compareVersions } from '#handlers/domain/wordpress/compare-versions.ts'
import type { OfficialCore } from '#handlers/domain/wordpress/read-official.ts'
import { conflict } from '#handlers/errors.ts'
import type { WordpressSource } from '#handlers/ports/host/wordpress/wordpress.ts'
import type { Log } from '#handlers/ports/log.ts'
import { CoreError } from '../../../wordpress-cores/core-error.ts'
import { coreName, coresIn } from '../../../wordpress-cores/core-store.ts'
import { askChecksums, fetchCore } from '../../../wordpress-cores/official/official-cores.ts'
import type { OfficialPlace } from '../../../wordpress-cores/official/official-cores.ts'
import { takePlacedCores } from '../../../wordpress-cores/placed-cores.ts'
import { createOfferedCores } from './offered-cores.ts'
import { readSources, readTree } from './read-source.ts'
import type { SourceTree } from './read-source.ts'

/** What sites are installed from and updated to. */
export interface CoreSources {
  /** What lies on this host, newest first; read anew each time. */
  trees(): Promise<SourceTree[]>
  /**
   * The same with what would be fetched. `wait`: a short while for a list of it where none is known
   * yet.
   */
  all(wait: boolean): Promise<WordpressSource[]>
  /** Of a version, for a new site of a language; fetched where that is needed. Null where there is none, 409 where it cannot be fetched. */
  forInstall(wanted: { version: string; locale: string }): Promise<SourceTree | null>
  /** Of a version, for a site whose files are given out for a language, or for everybody. */
  forSite(version: string, localised: string | null): Promise<SourceTree | null>
  /** MD5 sums of a version's core as WordPress itself tells them; null where nobody is asked. 409 where nothing comes of it. */
  checksums(core: OfficialCore): Promise<Map<string, string> | null>
}

/** What sources are made of; places are absolute. */
export interface CoreSourcesDeps {
  /** Unpacked. */
  folders: readonly string[]
  /** With archives of WordPress. */
  archives: readonly string[]
  /** Where WordPress itself is asked, and in which languages beside English; null: nowhere. */
  official: (OfficialPlace & { languages: readonly string[] }) | null
  stateDir: string
  log: Pick<Log, 'warn'>
}

/** Of what was told already; beyond that it is told again. */
const MAX_WARNED = 200

/** What the network did not give is for whoever asked, in one line. */
const told = (error: unknown): unknown =>
  error instanceof CoreError ? conflict(`WordPress could not be fetched: ${error.message}.`) : error

const offerOf = ({ version, locale }: OfficialCore): WordpressSource => ({
  ...{ version, localised: locale, source: 'official' },
  locales: locale === null ? [] : [locale],
})

/**
 * Reads what administrators place while the agent runs (trees, archives, and what they add by
 * `berth wordpress core`), and fetches what WordPress itself offers when it is chosen.
 */
export const createCoreSources = (deps: CoreSourcesDeps): CoreSources => {
  const directory = coresIn(deps.stateDir)
  const known = new Map<string, string>()
  const warned = new Set<string>()
  const fetching = new Map<string, Promise<SourceTree>>()
  let under: ReturnType<typeof takePlacedCores> | null = null

  const warn = (text: string, about: { problem: string; file?: string }): void => {
    const told = JSON.stringify([text, about])
    if (warned.has(told)) return
    if (warned.size >= MAX_WARNED) warned.clear()
    warned.add(told)
    deps.log.warn(text, about)
  }
  const offered = createOfferedCores(deps.official, (problem) =>
    warn('WordPress does not tell its versions', { problem }),
  )

  /** One at a time; who asks meanwhile waits for the same. */
  const stored = async () => {
    under ??= takePlacedCores(deps.archives, directory, known).finally(() => (under = null))
    const { cores, refused } = await under
    for (const one of refused) warn('an archive of WordPress is not taken', one)
    return cores
  }
  const trees = async (): Promise<SourceTree[]> => {
    const unpacked = (await stored()).flatMap((core) => {
      const tree = readTree(core.directory, core.origin)
      return tree === null ? [] : [tree]
    })
    return [...unpacked, ...readSources(deps.folders)].sort((a, b) =>
      compareVersions(b.version, a.version),
    )
  }
  const fetched = (place: OfficialPlace, core: OfficialCore): Promise<SourceTree> => {
    const name = coreName(core)
    const running = fetching.get(name)
    if (running !== undefined) return running
    const begun = fetchCore(place, core, directory)
      .then((made) => {
        const tree = readTree(made.directory, made.origin)
        if (tree === null) throw new CoreError('what was fetched is gone already')
        return tree
      })
      .catch((error: unknown) => {
        throw told(error)
      })
      .finally(() => fetching.delete(name))
    fetching.set(name, begun)
    return begun
  }
  /** Of those that are offered, the first that `choose` finds. */
  const fromOffers = async (
    choose: (offers: readonly WordpressSource[]) => readonly WordpressSource[],
  ): Promise<SourceTree | null> => {
    if (deps.official === null) return null
    const [one] = choose((await offered(true)).map(offerOf))
    return one === undefined
      ? null
      : fetched(deps.official, { version: one.version, locale: one.localised })
  }

  return {
    trees,
    async all(wait) {
      const here = await trees()
      const offers = (await offered(wait)).filter(
        ({ version, locale }) =>
          !here.some((one) => one.version === version && one.localised === locale),
      )
      return [...here, ...offers.map(offerOf)]
        .map(({ version, locales, localised, source }) => ({
          ...{ version, locales, localised, source },
        }))
        .sort((a, b) => compareVersions(b.version, a.version))
    },
    async forInstall(wanted) {
      const [here] = forInstall(await trees(), wanted)
      return here ?? fromOffers((offers) => forInstall(offers, wanted))
    },
    async forSite(version, localised) {
      const [here] = forSite(
        (await trees()).filter((one) => one.version === version),
        localised,
      )
      if (here !== undefined) return here
      return fromOffers((offers) =>
        forSite(
          offers.filter((one) => one.version === version),
          localised,
        ),
      )
    },
    async checksums(core) {
      if (deps.official === null) return null
      return askChecksums(deps.official, core).catch((error: unknown) => {
        throw told(error)
      })
    },
  }
}
