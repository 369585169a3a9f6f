import { X509Certificate } from 'node:crypto'
import { z } from 'zod'
import { createHostClient } from '#adapters/shared/host-rpc/host-client.ts'
import { createJoinToken, isProofOfJoining } from '#adapters/shared/host-rpc/link/join-token.ts'
import { createSignedSend } from '#adapters/shared/host-rpc/link/signed-send.ts'
import { linkCertificate, signTrustList } from '#adapters/shared/host-rpc/link/trust-list.ts'
import { parseLinkAddress } from '#handlers/domain/hosts/link-address.ts'
import { unavailable } from '#handlers/errors.ts'
import type { HostPorts } from '#handlers/ports/host/host.ts'
import type { HostLinks, ReachedHost } from '#handlers/ports/host-links.ts'
import { hostFacts } from '#handlers/services/hosts/probes.ts'
import { judgeCertificate } from '../../link-trust/trust-file.ts'
import type { Ambient } from '#handlers/ports/judge.ts'
import type { Turn } from '#handlers/ports/turn.ts'
import { createLinkFetch } from './link-fetch.ts'
import type { LinkFetch } from './link-fetch.ts'
import { tellTrust } from './tell-trust.ts'
import { hasPanelIdentity, openPanelIdentity } from '../../link-trust/panel-identity.ts'
import type { PanelIdentity } from '../../link-trust/panel-identity.ts'

const MEET_MS = 15_000
const PROBE_MS = 8000

/** A machine's link: for calls, and for probes alone. */
interface Reached {
  ports: HostPorts
  probe: HostPorts
  /** For the link's own methods, over the connection for probes. */
  send(request: Request): Promise<Response>
}

const within = async <T>(ms: number, work: Promise<T>): Promise<T> => {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(unavailable('The host did not answer in time.')), ms)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

const joinedSchema = z.object({
  ok: z.literal(true),
  data: z.object({
    certificate: linkCertificate,
    proof: z.string().regex(/^[A-Za-z0-9_-]{86}$/),
  }),
})

const NOT_PROVED =
  'What answers at that address does not prove that it was given the token. Run "berth agent join" there with it, and look whether the address leads to that machine.'

/**
 * Over the panel's keys below `directory`, which are made when a machine is first invited.
 *
 * @param turns in whose turn a call is made, which the host is told; default: in none
 */
export const createHostLinks = (
  directory: string,
  turns?: Pick<Ambient<Turn | null>, 'getStore'>,
): HostLinks => {
  const reached = new Map<string, Promise<Reached>>()
  let opened: Promise<PanelIdentity> | null = null
  const identity = (): Promise<PanelIdentity> => {
    const one = (opened ??= openPanelIdentity(directory))
    one.catch(() => (opened = null))
    return one
  }

  const sendTo = (fetched: LinkFetch, host: string, { entry, signingKey }: PanelIdentity) =>
    createSignedSend({ host, panel: entry.id, key: signingKey, send: (ask) => fetched.send(ask) })

  /** What the machine shows before its certificate is known, proved by the token's key and by TLS. */
  const proved = async (
    id: string,
    at: { address: string; port: number },
    joinKey: string,
    own: PanelIdentity,
  ): Promise<string> => {
    const fetched = createLinkFetch({ id, ...at, certificate: null, own: own.tls })
    try {
      const response = await sendTo(
        fetched,
        id,
        own,
      )(
        new Request('https://host/joined', {
          ...{ method: 'POST', body: '{}', signal: AbortSignal.timeout(MEET_MS) },
        }),
      )
      const answer = joinedSchema.safeParse(await response.json().catch(() => null))
      if (!answer.success) throw unavailable(NOT_PROVED)
      const { certificate, proof } = answer.data.data
      if (!(await isProofOfJoining(joinKey, proof, id, certificate))) throw unavailable(NOT_PROVED)
      const shown = fetched.shown()
      const { fingerprint256 } = new X509Certificate(certificate)
      // Else somebody stands between, who passes on what the machine says.
      if (shown === null || new X509Certificate(shown).fingerprint256 !== fingerprint256)
        throw unavailable(NOT_PROVED)
      try {
        judgeCertificate(id, certificate, 'server')
      } catch (error) {
        throw unavailable(NOT_PROVED, error)
      }
      return certificate
    } finally {
      fetched.close()
    }
  }

  /** Kept from call to call; a machine that was joined anew, or moved, is another one. */
  const linkTo = (host: ReachedHost): Promise<Reached> => {
    const { link_id: id, address, certificate } = host
    const key = `${id} ${address} ${certificate}`
    const known = reached.get(key)
    if (known !== undefined) return known
    const made = (async (): Promise<Reached> => {
      const parsed = parseLinkAddress(address)
      if (parsed === null) throw new Error(`${address} is not the address of a link`)
      const own = await identity()
      const at = { address: parsed.host, port: parsed.port }
      const fetched = createLinkFetch({ id, ...at, certificate, own: own.tls })
      const probing = sendTo({ ...fetched, send: fetched.probe }, id, own)
      return {
        ports: createHostClient(sendTo(fetched, id, own), turns),
        probe: createHostClient(probing),
        send: probing,
      }
    })()
    made.catch(() => reached.delete(key))
    reached.set(key, made)
    return made
  }
  return {
    reach: async (host) => (await linkTo(host)).ports,
    async probe(host) {
      const { probe } = await linkTo(host)
      return within(PROBE_MS, hostFacts(probe))
    },
    own: async () => (hasPanelIdentity(directory) ? (await identity()).entry : null),
    async tell(host, { version, panels }) {
      const { entry, signingKey } = await identity()
      const list = { v: 1, host: host.link_id, role: host.role, version } as const
      const named = panels.map(({ id, certificate, key }) => ({ id, certificate, key }))
      const signed = await signTrustList({ ...list, panels: named }, entry.id, signingKey)
      return tellTrust(await linkTo(host), signed)
    },
    async invite({ link_id: host, role }) {
      const { entry, signingKey } = await identity()
      const list = { v: 1, host, role, version: 1, panels: [entry] } as const
      const signed = await signTrustList({ ...list, panels: [entry] }, entry.id, signingKey)
      const { token, publicKey } = await createJoinToken(signed)
      return { token, joinKey: publicKey }
    },
    async meet({ link_id: id, address, joinKey }) {
      const parsed = parseLinkAddress(address)
      if (parsed === null) throw new Error(`${address} is not the address of a link`)
      const at = { address: parsed.host, port: parsed.port }
      const own = await identity()
      const certificate = await proved(id, at, joinKey, own)
      const fetched = createLinkFetch({ id, ...at, certificate, own: own.tls })
      try {
        await createHostClient(sendTo(fetched, id, own)).system.info()
      } finally {
        fetched.close()
      }
      return { certificate }
    },
  }
}
