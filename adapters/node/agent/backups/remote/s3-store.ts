import { createReadStream } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type { AppError } from '#handlers/errors.ts'
import { isAppError, notFound } from '#handlers/errors.ts'
import { targetFailure } from './target-failure.ts'
import { MAX_LISTED } from './remote-store.ts'
import type { RemoteStore, StoredFile } from './remote-store.ts'
import { parseS3Page } from './s3-listing.ts'
import { s3Request, textOf } from './s3-request.ts'
import type { S3Access, S3Call } from './s3-request.ts'

const PART_BYTES = 64 * 2 ** 20
/** S3 takes 10000 parts of one object. */
const MAX_PARTS = 10_000
/** Of one page; a thousand keys of a kilobyte each, with what stands between. */
const MAX_PAGE_BYTES = 8 * 2 ** 20
/** Of which most files may be unwanted. */
const MAX_PAGES = 200

const codeOf = (text: string): string => /<Code>(\w{1,60})<\/Code>/.exec(text)?.[1] ?? ''

/**
 * A bucket. Archives over `partBytes` (default 64 MiB) go in parts, which S3
 * shows as one object only when all are there. `prefix` begins every key.
 */
export const createS3Store = (
  name: string,
  access: S3Access,
  prefix: string,
  partBytes = PART_BYTES,
): RemoteStore => {
  const keyOf = (file: string): string => (prefix === '' ? file : `${prefix}/${file}`)

  const failed = (what: unknown): AppError => targetFailure(name, what, access)
  const call = async (request: S3Call): Promise<IncomingMessage> => {
    try {
      return await s3Request(access, request)
    } catch (error) {
      throw failed(error)
    }
  }
  const textIn = (answer: IncomingMessage, maxBytes?: number): Promise<string> =>
    textOf(answer, maxBytes).catch((error: unknown) => {
      throw failed(error)
    })
  /** The response when its status is fine, else the failure that S3 names. */
  const expectOk = async (answer: IncomingMessage): Promise<IncomingMessage> => {
    const status = answer.statusCode ?? 0
    if (status >= 200 && status < 300) return answer
    const code = codeOf(await textIn(answer))
    throw failed(`it answered ${status}${code === '' ? '' : ` ${code}`}`)
  }
  const done = async (request: S3Call): Promise<{ text: string; answer: IncomingMessage }> => {
    const answer = await expectOk(await call(request))
    return { text: await textIn(answer), answer }
  }

  const putInParts = async (key: string, file: string, sizeBytes: number): Promise<void> => {
    const size = Math.max(partBytes, Math.ceil(sizeBytes / MAX_PARTS))
    const started = await done({ method: 'POST', key, query: { uploads: '' } })
    const uploadId = /<UploadId>([^<]+)<\/UploadId>/.exec(started.text)?.[1]
    if (uploadId === undefined) throw failed('it began no upload')
    try {
      const tags: string[] = []
      for (let from = 0; from < sizeBytes; from += size) {
        const end = Math.min(from + size, sizeBytes) - 1
        const { answer } = await done({
          method: 'PUT',
          key,
          query: { partNumber: String(tags.length + 1), uploadId },
          body: { stream: createReadStream(file, { start: from, end }), sizeBytes: end - from + 1 },
        })
        const tag = answer.headers.etag
        if (tag === undefined) throw failed('it confirmed no part')
        tags.push(tag)
      }
      const list = tags.map(
        (tag, index) =>
          `<Part><PartNumber>${index + 1}</PartNumber><ETag>${tag.replaceAll('"', '&quot;')}</ETag></Part>`,
      )
      const body = Buffer.from(
        `<CompleteMultipartUpload>${list.join('')}</CompleteMultipartUpload>`,
      )
      const headers = { 'content-type': 'application/xml' }
      const { text } = await done({ method: 'POST', key, query: { uploadId }, headers, body })
      // S3 may say 200 before it knows.
      if (text.includes('<Error>')) throw failed(`it answered ${codeOf(text)}`)
    } catch (error) {
      await done({ method: 'DELETE', key, query: { uploadId } }).catch(() => undefined)
      throw error
    }
  }

  const list = async (
    prefix: string,
    isWanted: (name: string) => boolean,
  ): Promise<StoredFile[]> => {
    const files: StoredFile[] = []
    const start = keyOf('')
    let next: string | null = null
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const query = {
        'list-type': '2',
        delimiter: '/',
        prefix: `${start}${prefix}`,
        ...(next === null ? {} : { 'continuation-token': next }),
      }
      const answer = await expectOk(await call({ method: 'GET', key: '', query }))
      const found = parseS3Page(await textIn(answer, MAX_PAGE_BYTES))
      if (found === null) throw failed('its list of files cannot be read')
      for (const { name: key, sizeBytes } of found.files) {
        const name = key.slice(start.length)
        if (!key.startsWith(start) || name === '' || name.includes('/') || !isWanted(name)) continue
        files.push({ name, sizeBytes })
        if (files.length >= MAX_LISTED) return files
      }
      next = found.next
      if (next === null) break
    }
    return files
  }

  const remove = async (file: string): Promise<void> => {
    try {
      await done({ method: 'DELETE', key: keyOf(file) })
    } catch (error) {
      if (!isAppError(error) || !error.message.includes('NoSuchKey')) throw error
    }
  }

  return {
    async removeFolder(folder) {
      const start = keyOf('')
      const query = { 'list-type': '2', prefix: `${start}${folder}/` }
      // What was removed is on no page any more.
      for (let page = 0; page < MAX_PAGES; page += 1) {
        const answer = await expectOk(await call({ method: 'GET', key: '', query }))
        const found = parseS3Page(await textIn(answer, MAX_PAGE_BYTES))
        if (found === null) throw failed('its list of files cannot be read')
        const names = found.files.filter(({ name }) => name.startsWith(query.prefix))
        if (names.length === 0) return
        for (const { name } of names) await remove(name.slice(start.length))
      }
      throw failed('it lists what was removed')
    },
    list: (prefix, isWanted = () => true) => list(prefix, isWanted),
    async put(file, path, sizeBytes) {
      if (sizeBytes > partBytes) return putInParts(keyOf(file), path, sizeBytes)
      await done({
        method: 'PUT',
        key: keyOf(file),
        body: { stream: createReadStream(path), sizeBytes },
      })
    },
    async open(file, range) {
      const headers: Record<string, string> = range
        ? { range: `bytes=${range.offset}-${range.offset + range.length - 1}` }
        : {}
      const answer = await call({ method: 'GET', key: keyOf(file), headers })
      if (answer.statusCode === 404) {
        answer.resume()
        throw notFound(`The backup is not at the target "${name}" any more.`)
      }
      // Nothing lies from there on.
      if (range && answer.statusCode === 416) {
        answer.resume()
        return Readable.from([])
      }
      return expectOk(answer)
    },
    remove,
  }
}
