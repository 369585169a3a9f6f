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
import { fingerprintOf } from '../../link-trust/fingerprint-of.ts'
import { judgeCertificate } from '../../link-trust/trust-file.ts'
import { ownChannelId } from '../../web-channel/own-channel.ts'
import type { Ambient } from '#handlers/ports/judge.ts'
import type { Turn } from '#handlers/ports/turn.ts'
import { askForCertificate, orderCertificate } from './change-certificate.ts'
import { createKeyChoice } from './key-choice.ts'
import { createLinkFetch } from './link-fetch.ts'
import type { LinkFetch } from './link-fetch.ts'
import { tellTrust } from './tell-trust.ts'
import { openPanelKeys } from '../../link-trust/panel-identity.ts'
import type { PanelIdentity } from '../../link-trust/panel-identity.ts'

const MEET_MS = 15_000
const PROBE_MS = 8000
/** A link looks once in a second what it is to show. */
const SHOW_TRIES = 10
const SHOW_PAUSE_MS = 500

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

const placeOf = (address: string): { address: string; port: number } => {
  const parsed = parseLinkAddress(address)
  if (parsed === null) throw new Error(`${address} is not the address of a link`)
  return { address: parsed.host, port: parsed.port }
}

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
  const keys = openPanelKeys(directory)
  const choice = createKeyChoice(keys)

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
  const linkTo = (host: ReachedHost, own: PanelIdentity): Promise<Reached> => {
    const { link_id: id, address, certificate, next_certificate: next } = host
    const key = `${id} ${own.entry.id} ${address} ${certificate} ${next ?? ''}`
    const known = reached.get(key)
    if (known !== undefined) return known
    // Its connections end by themselves when they rest.
    for (const one of reached.keys())
      if (one.startsWith(`${id} ${own.entry.id} `)) reached.delete(one)
    const made = (async (): Promise<Reached> => {
      const at = placeOf(address)
      const fetched = createLinkFetch({ id, ...at, certificate, next, own: own.tls })
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
  /** Calls it over a connection of its own, on which it must show that certificate. */
  const shows = async (host: ReachedHost, own: PanelIdentity): Promise<void> => {
    const { link_id: id, address, certificate } = host
    const fetched = createLinkFetch({ id, ...placeOf(address), certificate, own: own.tls })
    try {
      await createHostClient(sendTo(fetched, id, own)).system.info()
    } finally {
      fetched.close()
    }
  }
  return {
    async reach(host) {
      const [own] = await choice.of(host)
      if (own === undefined) throw new Error('this panel has no keys')
      return (await linkTo(host, own)).ports
    },
    probe: (host) =>
      choice.byAny(host, async (own) => {
        const { probe } = await linkTo(host, own)
        return within(PROBE_MS, hostFacts(probe, host.role))
      }),
    keys: async () => (await keys.all()).map(({ entry, since }) => ({ ...entry, since })),
    prepareKeys: async () => (await keys.prepare()).entry,
    async keysNamed(id, version) {
      keys.named(id, version)
    },
    async dropKeys(ids) {
      keys.drop(ids)
    },
    async tell(host, { version, panels }) {
      const list = { v: 1, host: host.link_id, role: host.role, version } as const
      const named = panels.map(({ id, certificate, key }) => ({ id, certificate, key }))
      const told = await choice.byAny(host, async (own) => {
        const { entry, signingKey } = own
        const signed = await signTrustList({ ...list, panels: named }, entry.id, signingKey)
        return tellTrust(await linkTo(host, own), signed)
      })
      // It is known by what the list says from now on.
      choice.settled(host.link_id)
      return told
    },
    prepareCertificate: (host) =>
      choice.byAny(host, async (own) => {
        const certificate = await askForCertificate(await linkTo(host, own))
        try {
          judgeCertificate(host.link_id, certificate, 'server')
        } catch (error) {
          throw unavailable('What the host made is no certificate of its link.', error)
        }
        return certificate
      }),
    async useCertificate(host) {
      const next = host.next_certificate
      const use = fingerprintOf(next)
      await choice.byAny(host, async (own) => {
        await orderCertificate(await linkTo(host, own), use)
        for (let tries = 1; ; tries += 1) {
          try {
            return await shows({ ...host, certificate: next }, own)
          } catch (error) {
            if (tries === SHOW_TRIES) throw error
            await new Promise((resolve) => setTimeout(resolve, SHOW_PAUSE_MS))
          }
        }
      })
    },
    validUntilMs(certificate) {
      try {
        return Date.parse(new X509Certificate(certificate).validTo)
      } catch {
        return null
      }
    },
    channelId: ownChannelId,
    async invite({ link_id: host, role }) {
      const { entry, signingKey } = await keys.current()
      const list = { v: 1, host, role, version: 1, panels: [entry] } as const
      const signed = await signTrustList({ ...list, panels: [entry] }, entry.id, signingKey)
      const { token, publicKey } = await createJoinToken(signed)
      return { token, joinKey: publicKey }
    },
    async meet({ link_id: id, address, joinKey }) {
      const at = placeOf(address)
      await keys.current()
      // Those that were the newest when it was invited, whichever they are now.
      let failure: unknown = null
      for (const own of await keys.all()) {
        if (own.since === null) continue
        try {
          const certificate = await proved(id, at, joinKey, own)
          const known = { link_id: id, address, certificate }
          await shows({ ...known, next_certificate: null, trust_version: 0 }, own)
          choice.found(id, own)
          return { certificate }
        } catch (error) {
          failure ??= error
        }
      }
      throw failure
    },
  }
}
