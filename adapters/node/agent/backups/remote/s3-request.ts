import { request as httpRequest } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { Readable } from 'node:stream'
import { AwsV4Signer } from 'aws4fetch'
import { trimEndOf } from '#edge-cache/fields/field-text.ts'
import { checkHostReach, lookupWithin } from './target-reach.ts'
import type { Reach } from './target-reach.ts'

/** How a bucket is reached. */
export interface S3Access {
  /** `https://host[:port]`. */
  endpoint: string
  bucket: string
  region: string
  accessKeyId: string
  secretAccessKey: string
  reach: Reach
  /** A socket that says nothing for so long is given up. Default: a minute. */
  idleMs?: number
  /** One request is given up after so long, whatever comes meanwhile. Default: never. */
  endMs?: number
  /** Whether failures say where the target is; for administrators alone. Default: no. */
  tellsAll?: boolean
}

export interface S3Call {
  method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE'
  key: string
  query?: Record<string, string>
  headers?: Record<string, string>
  body?: { stream: Readable; sizeBytes: number } | Buffer
}

const IDLE_MS = 60_000
const LATE = 'it did not answer in time'
const MAX_TEXT_BYTES = 1024 * 1024

/** One signed request, path style. The body streams with its length and is not part of the signature. */
export const s3Request = async (access: S3Access, call: S3Call): Promise<IncomingMessage> => {
  const key = call.key === '' ? [] : call.key.split('/')
  const path = [access.bucket, ...key].map(encodeURIComponent).join('/')
  const url = new URL(`${trimEndOf(access.endpoint, '/')}/${path}`)
  for (const [name, value] of Object.entries(call.query ?? {})) url.searchParams.set(name, value)
  checkHostReach(url.hostname, access.reach)
  const signed = await new AwsV4Signer({
    method: call.method,
    url: url.href,
    headers: { ...call.headers, 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' },
    accessKeyId: access.accessKeyId,
    secretAccessKey: access.secretAccessKey,
    service: 's3',
    region: access.region,
  }).sign()
  const { body } = call
  const sizeBytes = body === undefined ? 0 : Buffer.isBuffer(body) ? body.length : body.sizeBytes
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest
  return new Promise((resolve, reject) => {
    let given: IncomingMessage | null = null
    const outgoing = send(
      signed.url,
      {
        method: call.method,
        agent: false,
        timeout: access.idleMs ?? IDLE_MS,
        lookup: lookupWithin(access.reach),
        headers: {
          ...Object.fromEntries(signed.headers),
          ...(call.method === 'PUT' || call.method === 'POST'
            ? { 'content-length': String(sizeBytes) }
            : {}),
        },
      },
      (answer) => {
        given = answer
        resolve(answer)
      },
    )
    if (access.endMs !== undefined) {
      const end = setTimeout(() => (given ?? outgoing).destroy(new Error(LATE)), access.endMs)
      outgoing.on('close', () => clearTimeout(end))
    }
    outgoing.on('timeout', () => (given ?? outgoing).destroy(new Error(LATE)))
    outgoing.on('error', reject)
    if (body === undefined || Buffer.isBuffer(body)) outgoing.end(body)
    else {
      body.stream.on('error', (error) => outgoing.destroy(error))
      outgoing.on('close', () => body.stream.destroy())
      body.stream.pipe(outgoing)
    }
  })
}

/** All of a short answer, or its beginning. */
export const textOf = async (
  answer: IncomingMessage,
  maxBytes = MAX_TEXT_BYTES,
): Promise<string> => {
  const chunks: Buffer[] = []
  let have = 0
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    if ((have += chunk.length) > maxBytes) break
  }
  return Buffer.concat(chunks).toString('utf8')
}
