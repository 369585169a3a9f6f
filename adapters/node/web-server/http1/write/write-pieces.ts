import type { Socket } from 'node:net'
import type { Writable } from 'node:stream'
import { TLSSocket } from 'node:tls'
import { drained } from './pump-body.ts'

/** As much as a line that encrypts is given at once. */
const PIECE_BYTES = 262_144

/**
 * Whether bytes may be given to a line at once. A plain one leaves them where they
 * are, once for all who wait for them; TLS encrypts all that it is given into
 * memory of that client's own, which a slow one then holds.
 */
export const fitsLine = (line: Socket | null, { byteLength }: Uint8Array): boolean =>
  byteLength <= PIECE_BYTES || !(line instanceof TLSSocket)

/**
 * Gives bytes to `write` in pieces, each when `out` took the one before. Rejects when
 * the client leaves.
 */
export const writePieces = async (
  out: Writable,
  bytes: Uint8Array,
  write: (piece: Uint8Array) => boolean,
): Promise<void> => {
  for (let at = 0; at < bytes.byteLength; at += PIECE_BYTES) {
    if (!write(bytes.subarray(at, at + PIECE_BYTES))) await drained(out)
  }
}
