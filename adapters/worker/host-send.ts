import { z } from 'zod'
import {
  ConnectionBroken,
  createSignedSend,
  HostAway,
} from '#adapters/shared/host-rpc/link/signed-send.ts'
import { linkId } from '#adapters/shared/host-rpc/link/trust-list.ts'
import { unavailable } from '#handlers/errors.ts'
import type { Env } from './env.ts'

const keySchema = z.strictObject({
  /** The host's name at its link. */
  host: linkId,
  /** This panel's name in the host's list. */
  panel: linkId,
  /** Private Ed25519 key (JWK). */
  signing: z.strictObject({
    kty: z.literal('OKP'),
    crv: z.literal('Ed25519'),
    x: z.string().length(43),
    d: z.string().length(43),
  }),
})

/** Whom calls are for, and by whom and with what they are signed. */
export type LinkKey = z.output<typeof keySchema>

/** Reads the secret `LINK_KEY`. Throws, without a word of what it holds. */
export const parseLinkKey = (text: string): LinkKey => {
  try {
    return keySchema.parse(JSON.parse(text))
  } catch {
    throw unavailable('LINK_KEY is not the key of a link. Set it as docs/edge.md describes.')
  }
}

/** Visible characters of ASCII, on both sides of the first colon. */
const ACCESS = /^([!-9;-~]{1,200}):([!-~]{1,200})$/

/** The fields by which Cloudflare Access knows a service. Throws, without a word of what the secret holds. */
const accessFields = (token: string): Record<string, string> => {
  const [, id, secret] = ACCESS.exec(token.trim()) ?? []
  if (id === undefined || secret === undefined)
    throw unavailable('LINK_ACCESS is no service token. Set it as docs/edge.md describes.')
  return { 'CF-Access-Client-Id': id, 'CF-Access-Client-Secret': secret }
}

/** What stands between answers so where it cannot go on: gateways, Cloudflare's edge, its tunnels. */
const isGateways = (status: number): boolean =>
  status === 502 || status === 504 || (status >= 520 && status <= 530)

const NO_HOST =
  'This panel has no host. Bind HOST, or set LINK_URL, to the link of the machine, as docs/edge.md describes.'

type Ways = Pick<Env, 'HOST' | 'LINK_URL' | 'LINK_KEY' | 'LINK_ACCESS'>
type Send = (request: Request) => Promise<Response>

/**
 * Sends what `createHostClient` asks to the one host of this Worker, signed where there is a key. A
 * Worker cannot pin the host's certificate: the signature tells the host who asks.
 *
 * Each call is signed by itself, with the session that an earlier one was given; two calls that
 * find none each get one. What one request waits for, no other may wait for in a Worker.
 */
export const createHostSend = (env: Ways): Send => {
  try {
    return sendBy(env)
  } catch (error) {
    // Of all that the panel does only calls need the secrets: it says so where one is asked for.
    return () => Promise.reject(error as Error)
  }
}

const sendBy = (env: Ways): Send => {
  const { HOST, LINK_URL, LINK_KEY, LINK_ACCESS } = env
  const session: { id: string | null } = { id: null }

  const access = LINK_ACCESS === undefined ? {} : accessFields(LINK_ACCESS)
  if (LINK_ACCESS !== undefined && LINK_URL !== undefined && !LINK_URL.startsWith('https:'))
    throw unavailable('LINK_URL must begin with https: where LINK_ACCESS is sent there.')
  const carry = async (request: Request): Promise<Response> => {
    const { pathname } = new URL(request.url)
    const asked =
      LINK_URL === undefined
        ? request
        : new Request(`${new URL(LINK_URL).origin}${pathname}`, request)
    if (HOST !== undefined) return HOST.fetch(asked)
    if (LINK_URL === undefined) throw unavailable(NO_HOST)
    for (const [name, value] of Object.entries(access)) asked.headers.set(name, value)
    return fetch(asked, { redirect: 'manual' })
  }
  if (HOST === undefined && LINK_URL === undefined)
    return () => Promise.reject(unavailable(NO_HOST))
  if (LINK_KEY === undefined)
    return async (request) => {
      try {
        return await carry(request)
      } catch (error) {
        throw unavailable('The host cannot be reached. Try again in a moment.', error)
      }
    }

  const link = parseLinkKey(LINK_KEY)
  const { host, panel } = link
  const send = async (request: Request): Promise<Response> => {
    let response: Response
    try {
      response = await carry(request)
    } catch (error) {
      // Whether anything of it arrived nobody says: it is asked for.
      throw new ConnectionBroken(host, error)
    }
    if (!isGateways(response.status)) return response
    await response.body?.cancel()
    // A tunnel without its other end; nothing was passed on.
    if (response.status === 530) throw new HostAway(host)
    throw new ConnectionBroken(host)
  }
  let key: CryptoKey | null = null
  return async (request) => {
    key ??= await crypto.subtle.importKey('jwk', link.signing, 'Ed25519', false, ['sign'])
    return createSignedSend({ host, panel, key, send, session })(request)
  }
}
