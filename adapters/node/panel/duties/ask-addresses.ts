import type { IncomingMessage } from 'node:http'
import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { LookupFunction } from 'node:net'
import { answersTo } from '#handlers/domain/domains/wildcard-name.ts'
import { parseListenAddress } from '#handlers/domain/config/listen.ts'
import type { AddressAnswer, AddressesPort } from '#handlers/ports/addresses.ts'
import { checkPublicHost, publicLookup } from '../../process/guarded-lookup.ts'

const MAX_BYTES = 64 * 1024
/** Longer answers are not waited for: they may have no end, and are read as fast as they come. */
const MAX_READ_BYTES = 16 * 2 ** 20
const LOOPBACK = '127.0.0.1'

const isRefused = (error: unknown): boolean =>
  error instanceof Error && error.name === 'RefusedAddressError'

/** Whoever wrote the job need not learn which addresses names have within our networks. */
const refused = (): Error =>
  new Error(
    "This address lies on this machine or in a private network, which jobs may not ask but for the account's own sites.",
  )

/** Whatever the name says elsewhere, it is our own web server that is asked. */
const loopbackLookup: LookupFunction = (_name, options, callback) =>
  options.all === true
    ? callback(null, [{ address: LOOPBACK, family: 4 }])
    : callback(null, LOOPBACK, 4)

const textOf = async (answer: IncomingMessage): Promise<string> => {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const chunk of answer) {
    const part = chunk as Buffer
    if (bytes < MAX_BYTES) parts.push(part.subarray(0, MAX_BYTES - bytes))
    bytes += part.length
    if (bytes > MAX_READ_BYTES)
      throw new Error(`The answer is longer than ${MAX_READ_BYTES / 2 ** 20} MiB, so it was left.`)
  }
  return Buffer.concat(parts).toString('utf8')
}

const portOf = (url: URL): number =>
  url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port)

/**
 * Asks addresses for cron jobs. `serverListen` are the addresses of the sites' own
 * listeners: an account's own name is asked there, and at no other port of this machine.
 */
export const createAddresses = (serverListen: readonly string[]): AddressesPort => {
  const ownPorts = new Set(serverListen.map((text) => parseListenAddress(text)?.port))
  return {
    async get(text, { timeoutMs, ownNames, signal }): Promise<AddressAnswer> {
      const url = new URL(text)
      const own = answersTo(ownNames, url.hostname) && ownPorts.has(portOf(url))
      const timeout = AbortSignal.timeout(timeoutMs)
      const send = url.protocol === 'https:' ? httpsRequest : httpRequest
      try {
        if (!own) checkPublicHost(url.hostname)
        const answer = await new Promise<IncomingMessage>((resolve, reject) => {
          const outgoing = send(
            url,
            {
              method: 'GET',
              agent: false,
              lookup: own ? loopbackLookup : publicLookup,
              headers: { 'user-agent': 'Berth cron', accept: '*/*' },
              signal: AbortSignal.any([timeout, signal]),
              // Asked at home, where the certificate may still be missing.
              ...(own ? { rejectUnauthorized: false } : {}),
            },
            resolve,
          )
          outgoing.on('error', reject)
          outgoing.end()
        })
        return { status: answer.statusCode ?? 0, body: await textOf(answer) }
      } catch (error) {
        if (isRefused(error)) throw refused()
        if (!timeout.aborted) throw error
        const late = new Error(`There was no whole answer within ${timeoutMs / 1000} seconds.`)
        late.name = 'TimeoutError'
        throw late
      }
    },
  }
}
