/** Pages that were lately stored anew or taken away somewhere else; bounded. */
export interface ChangedPages {
  note(id: string): void
  /** Now, to be compared with later. */
  moment(): number
  /** Whether the page was noted after that moment, or may have been. */
  since(id: string, moment: number): boolean
  /** Whether it was noted within the last seconds: what comes by another way may be older. */
  lately(id: string): boolean
}

const MAX_PAGES = 4096
const LATELY_MS = 2000

export const createChangedPages = (nowMs: () => number): ChangedPages => {
  /** Oldest first. */
  const noted = new Map<string, { serial: number; atMs: number }>()
  let serial = 0
  /** The youngest that was forgotten. */
  let forgotten = 0

  return {
    note(id) {
      noted.delete(id)
      noted.set(id, { serial: ++serial, atMs: nowMs() })
      if (noted.size <= MAX_PAGES) return
      const [oldest] = noted
      if (oldest === undefined) return
      forgotten = oldest[1].serial
      noted.delete(oldest[0])
    },
    moment: () => serial,
    since: (id, moment) => (noted.get(id)?.serial ?? forgotten) > moment,
    lately(id) {
      const found = noted.get(id)
      return found !== undefined && Math.abs(nowMs() - found.atMs) < LATELY_MS
    },
  }
}
