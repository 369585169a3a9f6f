import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { LookupFunction } from 'node:net'
import type { PostsPort } from '#handlers/ports/posts.ts'
import { checkPublicHost, publicLookup } from '../../process/guarded-lookup.ts'

const TIMEOUT_MS = 10_000

/** Whoever gave the address need not learn which addresses names have within our networks. */
const REFUSED =
  'This address lies on this machine, its link or in a private network, which webhooks of people may not reach.'

const readable = (error: unknown, timedOut: boolean): Error => {
  if (timedOut) return new Error('There was no answer within 10 seconds.')
  if (!(error instanceof Error)) return new Error(String(error))
  return error.name === 'RefusedAddressError' ? new Error(REFUSED) : error
}

/** Judges where a body may go. Default: nowhere but into the internet. */
export interface PostGuard {
  check(hostname: string): void
  lookup: LookupFunction
}

const PUBLIC: PostGuard = { check: checkPublicHost, lookup: publicLookup }

/** Sends to the internet; of what comes back nothing but the status is looked at. */
export const createPosts = (guard: PostGuard = PUBLIC, timeoutMs = TIMEOUT_MS): PostsPort => ({
  async post(address, { headers, body }) {
    const timeout = AbortSignal.timeout(timeoutMs)
    try {
      const url = new URL(address)
      guard.check(url.hostname)
      const send = url.protocol === 'https:' ? httpsRequest : httpRequest
      return await new Promise((resolve, reject) => {
        const outgoing = send(
          url,
          {
            method: 'POST',
            agent: false,
            lookup: guard.lookup,
            headers: {
              'user-agent': 'Berth',
              ...headers,
              'content-length': String(Buffer.byteLength(body)),
            },
            // The whole exchange, the connection included.
            signal: timeout,
          },
          (answer) => {
            answer.destroy()
            resolve({ status: answer.statusCode ?? 0 })
          },
        )
        outgoing.on('error', reject)
        outgoing.end(body)
      })
    } catch (error) {
      throw readable(error, timeout.aborted)
    }
  },
})
