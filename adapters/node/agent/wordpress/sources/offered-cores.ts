import type { OfficialCore } from '#handlers/domain/wordpress/read-official.ts'
import { askOffers } from '../../../wordpress-cores/official/official-cores.ts'
import type { OfficialPlace } from '../../../wordpress-cores/official/official-cores.ts'

/** A list that was told is good for that long, and a failure is not tried again before. */
const GOOD_MS = 6 * 60 * 60_000
const FAILED_MS = 10 * 60_000
/** So long somebody who asks waits for the first one. */
const WAIT_MS = 3_000

/**
 * What WordPress itself offers, as it told last; asked anew in the background. `wait`: for the first
 * list, for a short while. Where nobody can be reached it is empty, and `failed` is told why.
 */
export const createOfferedCores = (
  place: (OfficialPlace & { languages: readonly string[] }) | null,
  failed: (problem: string) => void,
): ((wait: boolean) => Promise<OfficialCore[]>) => {
  let offers: OfficialCore[] | null = null
  let nextMs = 0
  let asking: Promise<void> | null = null

  const ask = async (from: NonNullable<typeof place>): Promise<void> => {
    try {
      offers = await askOffers(from, from.languages)
      nextMs = Date.now() + GOOD_MS
    } catch (error) {
      nextMs = Date.now() + FAILED_MS
      failed(error instanceof Error ? error.message : String(error))
    } finally {
      asking = null
    }
  }

  return async (wait) => {
    if (place === null) return []
    if (Date.now() >= nextMs) asking ??= ask(place)
    if (wait && offers === null && asking !== null) {
      let timer: NodeJS.Timeout | undefined
      const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, WAIT_MS)))
      await Promise.race([asking, late]).finally(() => clearTimeout(timer))
    }
    return offers ?? []
  }
}
