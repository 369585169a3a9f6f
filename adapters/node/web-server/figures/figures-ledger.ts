import { randomUUID } from 'node:crypto'
import type { NamesRoom } from '#handlers/domain/figures/frequent-names.ts'
import { SiteDay } from '#handlers/domain/figures/site-day.ts'
import type { FiguresBatch, FiguresPart } from '#handlers/ports/host/figures.ts'

/** Parts of one batch. */
const BATCH_PARTS = 100
/** Sites and days that are held at most while nobody fetches them. */
const MAX_HELD = 20_000
/** Names (of pages and so on) of all of them. */
const MAX_NAMES = 400_000

interface Held {
  site: string
  day: string
  sum: SiteDay
}

/**
 * Sums what workers counted of sites into batches for the one who keeps the books. A
 * batch is answered again until the next call names it, as in `TrafficLedger`. While
 * nobody asks, sums go on within bounds; of what is beyond them nothing is kept.
 */
export class FiguresLedger {
  #open = new Map<string, Held>()
  #handed: FiguresBatch | null = null
  readonly #room: NamesRoom = { left: MAX_NAMES }

  note(parts: readonly FiguresPart[]): void {
    for (const { site, day, figures } of parts) {
      const key = `${day} ${site}`
      let held = this.#open.get(key)
      if (held === undefined) {
        if (this.#open.size >= MAX_HELD) continue
        held = { site, day, sum: new SiteDay(this.#room) }
        this.#open.set(key, held)
      }
      held.sum.add(figures)
    }
  }

  /** `acknowledged`: name of the batch that the caller has stored; null when it has none. */
  read(acknowledged: string | null): FiguresBatch {
    const handed = this.#handed
    // One with nothing in it needs no acknowledgement.
    if (handed !== null && handed.parts.length > 0 && handed.batch !== acknowledged) return handed
    const parts: FiguresPart[] = []
    for (const [key, held] of this.#open) {
      if (parts.length >= BATCH_PARTS) break
      parts.push(this.#partOf(held))
      this.#open.delete(key)
    }
    this.#handed = { batch: randomUUID(), parts, more: this.#open.size > 0 }
    return this.#handed
  }

  /** A site of that name that comes later is another one. */
  forget(sites: readonly string[]): void {
    const gone = new Set(sites)
    for (const [key, held] of this.#open) {
      if (!gone.has(held.site)) continue
      this.#open.delete(key)
      this.#room.left += held.sum.names
    }
    if (this.#handed !== null)
      this.#handed.parts = this.#handed.parts.filter(({ site }) => !gone.has(site))
  }

  /** All that is held, for the process that takes this one's place. */
  kept(): { handed: FiguresBatch | null; parts: FiguresPart[] } {
    const parts = [...this.#open.values()].map(({ site, day, sum }) => ({
      ...{ site, day },
      figures: sum.figures(),
    }))
    return { handed: this.#handed, parts }
  }

  /** Takes what another process had; before anything else. */
  takeOver({ handed, parts }: { handed: FiguresBatch | null; parts: FiguresPart[] }): void {
    this.#handed = handed
    this.note(parts)
  }

  #partOf({ site, day, sum }: Held): FiguresPart {
    this.#room.left += sum.names
    return { site, day, figures: sum.figures() }
  }
}
