import { createPublicKey } from 'node:crypto'
import type { HeldTrust } from '../../link-trust/trust-file.ts'
import type { WatchedTrust } from '../../link-trust/watched-trust.ts'

/** Signing keys of the trusted panels, as the file has them at this moment. */
export interface HeldKeys {
  /** Null for whom nobody trusts. */
  keyOf(panel: string): CryptoKey | null
}

const keysOf = (trust: HeldTrust): Map<string, CryptoKey> =>
  new Map(
    trust.list.panels.map(({ id, key: x }): [string, CryptoKey] => {
      const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
      // Node's own type of it names more usages than the common one knows.
      return [id, key.toCryptoKey('Ed25519', false, ['verify']) as CryptoKey]
    }),
  )

/** `forget` is told of panels that are trusted no more, or have another key. */
export const holdKeys = (watched: WatchedTrust, forget: (panel: string) => void): HeldKeys => {
  let of: HeldTrust | null = null
  let keys = new Map<string, CryptoKey>()
  const signing = (trust: HeldTrust | null, panel: string): string | undefined =>
    trust?.list.panels.find(({ id }) => id === panel)?.key
  return {
    keyOf(panel) {
      const now = watched.now()
      if (now !== of) {
        for (const known of keys.keys())
          if (signing(now, known) !== signing(of, known)) forget(known)
        of = now
        keys = now === null ? new Map() : keysOf(now)
      }
      return keys.get(panel) ?? null
    },
  }
}
