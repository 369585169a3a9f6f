import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { trimEndOf } from '#edge-cache/fields/field-text.ts'
import { readChecksums, readOffers } from '#handlers/domain/wordpress/read-official.ts'
import type { OfficialCore } from '#handlers/domain/wordpress/read-official.ts'
import { CoreError } from '../core-error.ts'
import { storeCore } from '../core-store.ts'
import type { StoredCore } from '../core-store.ts'
import { MAX_ARCHIVE_BYTES } from '../take-archive.ts'
import { getFile, getText } from './get-bounded.ts'

/** Where WordPress gives out itself; see `[wordpress]` of the configuration. */
export interface OfficialPlace {
  /** Of the archives. */
  downloads: string
  /** Of the list of versions, and of the sums of their files. */
  api: string
  /** Whether these may lie in a private network. */
  allowPrivate: boolean
}

const MAX_LIST_BYTES = 4 * 2 ** 20
const LIST_LIMIT_MS = 20_000
const MAX_SUM_BYTES = 1024
const ARCHIVE_LIMIT_MS = 10 * 60_000
const ENGLISH = 'en_US'

const below = (base: string, path: string): URL => new URL(`${trimEndOf(base, '/')}/${path}`)
const short = ({ allowPrivate }: OfficialPlace) => ({
  ...{ maxBytes: MAX_LIST_BYTES, limitMs: LIST_LIMIT_MS, allowPrivate },
})

/** Asks which versions there are, in English and in languages. */
export const askOffers = async (
  place: OfficialPlace,
  locales: readonly string[],
): Promise<OfficialCore[]> => {
  const all = new Map<string, OfficialCore>()
  for (const locale of new Set([ENGLISH, ...locales])) {
    const query = locale === ENGLISH ? '' : `?locale=${encodeURIComponent(locale)}`
    const url = below(place.api, `core/version-check/1.7/${query}`)
    const offers = readOffers(await getText(url, short(place)))
    if (offers === null) throw new CoreError(`${url.href} is no list of versions of WordPress`)
    for (const core of offers) all.set(`${core.version} ${core.locale}`, core)
  }
  return [...all.values()]
}

/** Asks for the MD5 sums of a version's core; see `readChecksums`. */
export const askChecksums = async (
  place: OfficialPlace,
  { version, locale }: OfficialCore,
): Promise<Map<string, string>> => {
  const query = new URLSearchParams({ version, locale: locale ?? ENGLISH })
  const url = below(place.api, `core/checksums/1.0/?${query}`)
  const sums = readChecksums(await getText(url, short(place)))
  if (sums === null) throw new CoreError(`${url.origin} knows no sums of WordPress ${version}`)
  return sums
}

/**
 * Fetches the archive of a version, compares it with the SHA-1 that stands beside it, and stores it
 * in `directory`; see `storeCore`.
 *
 * @throws CoreError
 */
export const fetchCore = async (
  place: OfficialPlace,
  core: OfficialCore,
  directory: string,
): Promise<StoredCore> => {
  const { version, locale } = core
  const folder = locale === null ? 'release' : `release/${locale}`
  const url = below(place.downloads, `${folder}/wordpress-${version}.zip`)
  const limits = { allowPrivate: place.allowPrivate, limitMs: LIST_LIMIT_MS }
  const told = await getText(new URL(`${url.href}.sha1`), { ...limits, maxBytes: MAX_SUM_BYTES })
  const [wanted] = /^[0-9a-f]{40}(?![0-9a-f])/i.exec(told.trim()) ?? []
  if (wanted === undefined) throw new CoreError(`${url.href}.sha1 is no SHA-1`)
  await mkdir(directory, { recursive: true })
  const work = await mkdtemp(join(directory, '.new-'))
  try {
    const file = join(work, 'archive.zip')
    const options = { ...limits, limitMs: ARCHIVE_LIMIT_MS, maxBytes: MAX_ARCHIVE_BYTES }
    const sum = await getFile(url, file, options)
    if (sum !== wanted.toLowerCase())
      throw new CoreError(`what came from ${url.href} is not what its SHA-1 tells`)
    return await storeCore(
      {
        file,
        from: url.href,
        origin: 'official',
        sha256: null,
        compared: true,
        key: null,
        expected: core,
      },
      directory,
    )
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}
