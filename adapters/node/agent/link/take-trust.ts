import {
  nextTrustList,
  parseSignedTrustList,
  TrustRefused,
} from '#adapters/shared/host-rpc/link/trust-list.ts'
import { judgeTrustList, writeTrust } from '../../link-trust/trust-file.ts'
import type { HeldTrust } from '../../link-trust/trust-file.ts'
import type { WatchedTrust } from '../../link-trust/watched-trust.ts'

/** Takes the next trust list of this machine. */
export interface TrustTaker {
  /** Answers the list that counts then (version, panels, forgotten), or 409 with the reason and that list as `held`. */
  take(body: Uint8Array<ArrayBuffer>): Promise<Response>
}

/** The list as a panel is told of it. */
const shown = ({ list, forgotten }: HeldTrust) => ({
  version: list.version,
  panels: list.panels.map(({ id, key }) => ({ id, key })),
  forgotten,
})

/** One after the other, for each list is judged by the one before it. */
export const createTrustTaker = (
  directory: string,
  watched: WatchedTrust,
  reader: { gid: number } | null,
): TrustTaker => {
  let before: Promise<unknown> = Promise.resolve()
  const taken = async (body: Uint8Array<ArrayBuffer>): Promise<Response> => {
    try {
      const held = watched.now()
      if (held === null) throw new TrustRefused('this machine trusts nobody')
      const signed = parseSignedTrustList(new TextDecoder().decode(body))
      const list = await nextTrustList(held.list, signed, held.forgotten)
      try {
        judgeTrustList(list)
      } catch {
        throw new TrustRefused('a certificate or key in it is not one of a panel')
      }
      // Root may have forgotten a panel while the signature was looked at.
      if (watched.now() !== held) throw new TrustRefused('it changed here meanwhile')
      writeTrust(directory, { list, forgotten: held.forgotten }, reader)
      return Response.json({ ok: true, data: shown({ list, forgotten: held.forgotten }) })
    } catch (error) {
      if (!(error instanceof TrustRefused)) throw error
      const held = watched.now()
      return Response.json(
        {
          ...{ ok: false, error: error.message, status: 409, field: null },
          ...(held !== null && { held: shown(held) }),
        },
        { status: 409 },
      )
    }
  }
  return {
    take(body) {
      const next = before.then(() => taken(body))
      before = next.catch(() => undefined)
      return next
    },
  }
}
