/** How many programs run at a time; who comes later waits, first come first served. */
export interface ChildSlots {
  /** Calls `start` when there is room, at once if possible. The response withdraws a waiting call. */
  take(start: () => void): () => void
  /** Gives a place back. */
  free(): void
}

export const createChildSlots = (count: number): ChildSlots => {
  const waiting = new Set<{ start: () => void }>()
  let running = 0
  return {
    take(start) {
      if (running < count) {
        running += 1
        start()
        return () => undefined
      }
      const place = { start }
      waiting.add(place)
      return () => void waiting.delete(place)
    },
    free() {
      const [next] = waiting
      if (next === undefined) {
        running -= 1
        return
      }
      waiting.delete(next)
      next.start()
    },
  }
}
