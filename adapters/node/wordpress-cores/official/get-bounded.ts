import { createHash } from 'node:crypto'
import type { Hash } from 'node:crypto'
import { request as httpRequest } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { open } from 'node:fs/promises'
import { checkPublicHost, guardedLookup, publicLookup } from '../../process/guarded-lookup.ts'
import { CoreError } from '../core-error.ts'

/** How much may come, how long it may take altogether, and whether from a private network. */
export interface GetOptions {
  maxBytes: number
  limitMs: number
  allowPrivate: boolean
}

const ask = (url: URL, { allowPrivate }: GetOptions, signal: AbortSignal) =>
  new Promise<IncomingMessage>((resolve, reject) => {
    if (!allowPrivate) checkPublicHost(url.hostname)
    const outgoing = (url.protocol === 'https:' ? httpsRequest : httpRequest)(url, {
      agent: false,
      signal,
      // What is judged is what is connected to.
      lookup: allowPrivate ? guardedLookup(true) : publicLookup,
      headers: { accept: '*/*', 'user-agent': 'Berth' },
    })
    outgoing.on('error', reject)
    outgoing.on('response', resolve)
    outgoing.end()
  })

/** The body of a 200, piece by piece. Nobody is followed to another place than the one that was named. */
async function* bodyOf(url: URL, options: GetOptions): AsyncGenerator<Buffer> {
  const signal = AbortSignal.timeout(options.limitMs)
  try {
    const incoming = await ask(url, options, signal)
    try {
      if (incoming.statusCode !== 200)
        throw new CoreError(`${url.href} answers ${incoming.statusCode}`)
      let taken = 0
      for await (const chunk of incoming as AsyncIterable<Buffer>) {
        taken += chunk.length
        if (taken > options.maxBytes)
          throw new CoreError(`${url.href} sends more than ${options.maxBytes} bytes`)
        yield chunk
      }
      if (!incoming.complete) throw new CoreError(`${url.href} breaks off`)
    } finally {
      incoming.destroy()
    }
  } catch (error) {
    if (error instanceof CoreError) throw error
    if (signal.aborted)
      throw new CoreError(`${url.origin} has not answered all of it in ${options.limitMs / 1000} s`)
    throw new CoreError(
      `${url.origin} does not answer: ${error instanceof Error ? error.message : String(error)}`,
    )
  }
}

/**
 * What an address answers, as text.
 *
 * @throws CoreError where it does not answer 200, sends more than it may, or takes longer
 */
export const getText = async (url: URL, options: GetOptions): Promise<string> => {
  const parts: Buffer[] = []
  for await (const part of bodyOf(url, options)) parts.push(part)
  return Buffer.concat(parts).toString('utf8')
}

/** The same into a file that is not there yet; answers the SHA-1 of it, in lower case. */
export const getFile = async (url: URL, file: string, options: GetOptions): Promise<string> => {
  const hash: Hash = createHash('sha1')
  const target = await open(file, 'wx', 0o600)
  try {
    for await (const part of bodyOf(url, options)) {
      hash.update(part)
      await target.writeFile(part)
    }
  } finally {
    await target.close()
  }
  return hash.digest('hex')
}
