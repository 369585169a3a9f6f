import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import { z } from 'zod'

/** Where npm's packages are. */
export const NPM_REGISTRY = 'https://registry.npmjs.org'

/** About 700 versions of one package take half a megabyte. */
const MAX_LIST_BYTES = 32 * 2 ** 20
/** Of one version; those of today have 60 MB. */
const MAX_ARCHIVE_BYTES = 300 * 2 ** 20
const LIST_LIMIT_MS = 60_000
const ARCHIVE_LIMIT_MS = 15 * 60_000

/** Why nothing came of a fetch, for who asked for it. */
export class FetchNodeError extends Error {}

const packageSchema = z.object({
  versions: z.record(
    z.string(),
    z.object({
      dist: z.object({
        tarball: z.url().max(1000),
        integrity: z.string().regex(/^sha512-[A-Za-z0-9+/]{86}==$/),
      }),
    }),
  ),
})

const asked = async (url: string, accept: string, limitMs: number): Promise<Response> => {
  const signal = AbortSignal.timeout(limitMs)
  // Who answers for another place than the one that was named is not followed there.
  const response = await fetch(url, {
    headers: { accept },
    redirect: 'error',
    signal,
  }).catch((error: Error) => {
    const cause = error.cause instanceof Error ? `: ${error.cause.message}` : ''
    throw new FetchNodeError(`${new URL(url).origin} does not answer: ${error.message}${cause}`)
  })
  if (response.ok) return response
  await response.body?.cancel()
  throw new FetchNodeError(`${url} answers ${response.status}.`)
}

/** Passes at most `bytes` on, and counts the SHA-512 of it. */
const bounded = (bytes: number): { stream: Transform; integrity(): string } => {
  const hash = createHash('sha512')
  let taken = 0
  const stream = new Transform({
    transform(chunk: Buffer, _, done) {
      taken += chunk.length
      hash.update(chunk)
      if (taken <= bytes) done(null, chunk)
      else done(new FetchNodeError(`It is larger than ${bytes} bytes.`))
    },
  })
  return { stream, integrity: () => `sha512-${hash.digest('base64')}` }
}

const body = (response: Response): Readable => {
  if (response.body === null) throw new FetchNodeError(`${response.url} answers nothing.`)
  return Readable.fromWeb(response.body as ReadableStream<Uint8Array>)
}

/** The newest of those that `wanted` (`22`, `22.23` or `22.23.3`) names. */
const newest = (versions: readonly string[], wanted: string): string | undefined =>
  versions
    .filter(
      (one) => /^\d+\.\d+\.\d+$/.test(one) && (one === wanted || one.startsWith(`${wanted}.`)),
    )
    .toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }))
    .at(-1)

/**
 * Fetches a version of Node, built for this machine's processor, as npm's registry has it, into
 * `file`, and answers which. Its SHA-512 is the one that the registry tells.
 *
 * @throws FetchNodeError
 */
export const fetchNode = async (
  wanted: string,
  file: string,
  registry: string = NPM_REGISTRY,
): Promise<string> => {
  const base = new URL(registry)
  const name = `node-linux-${process.arch}`
  const place = `${base.href.replace(/\/$/, '')}/${name}`
  // The short form; the long one has the readme of every version.
  const list = await asked(place, 'application/vnd.npm.install-v1+json', LIST_LIMIT_MS)
  const limit = bounded(MAX_LIST_BYTES)
  const text = await body(list).pipe(limit.stream).setEncoding('utf8').toArray()
  let known: z.infer<typeof packageSchema>
  try {
    known = packageSchema.parse(JSON.parse(text.join('')))
  } catch {
    throw new FetchNodeError(`${place} is no list of versions as npm's registry has it.`)
  }
  const version = newest(Object.keys(known.versions), wanted)
  const dist = version === undefined ? undefined : known.versions[version]?.dist
  if (version === undefined || dist === undefined)
    throw new FetchNodeError(`${place} has no version ${wanted}.`)
  if (new URL(dist.tarball).origin !== base.origin)
    throw new FetchNodeError(`${place} leads to another host for version ${version}.`)
  const archive = await asked(dist.tarball, '*/*', ARCHIVE_LIMIT_MS)
  const { stream, integrity } = bounded(MAX_ARCHIVE_BYTES)
  await pipeline(body(archive), stream, createWriteStream(file, { mode: 0o600 }))
  if (integrity() !== dist.integrity)
    throw new FetchNodeError(`What came of ${dist.tarball} is not what the registry tells of it.`)
  return version
}
