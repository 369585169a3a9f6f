import { OriginError } from '#handlers/sites/origins/php-origin.ts'

/** What request bodies may take of the disk, in one process. */
export interface SpoolBudget {
  /** Counts bytes of one body. Throws `OriginError` 413 when the body alone exceeds the site's share, 503 when others hold the room. */
  open(site: string): { take(sizeBytes: number): void; release(): void }
}

export const createSpoolBudget = (limits: {
  totalBytes: number
  perSiteBytes: number
}): SpoolBudget => {
  const bySite = new Map<string, number>()
  let total = 0
  return {
    open(site) {
      let own = 0
      return {
        take(sizeBytes) {
          const used = bySite.get(site) ?? 0
          if (own + sizeBytes > Math.min(limits.perSiteBytes, limits.totalBytes)) {
            throw new OriginError(413, 'the request body is larger than a site may spool')
          }
          if (used + sizeBytes > limits.perSiteBytes || total + sizeBytes > limits.totalBytes) {
            throw new OriginError(503, 'too many request bodies are being received')
          }
          own += sizeBytes
          total += sizeBytes
          bySite.set(site, used + sizeBytes)
        },
        release() {
          const left = (bySite.get(site) ?? 0) - own
          total -= own
          own = 0
          if (left > 0) bySite.set(site, left)
          else bySite.delete(site)
        },
      }
    },
  }
}
