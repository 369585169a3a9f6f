import type { Background } from '#handlers/ports/jobs.ts'

/** Runs work as it comes; `settled` waits until none is left. */
export interface FakeBackground extends Background {
  settled(): Promise<void>
}

export const createFakeBackground = (): FakeBackground => {
  const running = new Set<Promise<void>>()
  return {
    run(_name, work) {
      const promise = work()
        .catch(() => undefined)
        .finally(() => running.delete(promise))
      running.add(promise)
    },
    async settled() {
      while (running.size > 0) await Promise.all(running)
    },
  }
}
