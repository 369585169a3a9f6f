import {
  nextTrustList,
  parseSignedTrustList,
  TrustRefused,
} from '#adapters/shared/host-rpc/link/trust-list.ts'
import { judgeTrustList, writeTrust } from '../../link-trust/trust-file.ts'
import type { WatchedTrust } from '../../link-trust/watched-trust.ts'

/** Takes the next trust list of this machine. */
export interface TrustTaker {
  /** Answers `{ok, data:{version}}`, or 409 with the reason. */
  take(body: Uint8Array<ArrayBuffer>): Promise<Response>
}

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
      return Response.json({ ok: true, data: { version: list.version } })
    } catch (error) {
      if (!(error instanceof TrustRefused)) throw error
      return Response.json(
        { ok: false, error: error.message, status: 409, field: null },
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
