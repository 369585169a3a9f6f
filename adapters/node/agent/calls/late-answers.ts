/** Answers that are held at once, beside those that are still to come. */
const MAX_KEPT = 64
const KEEP_MS = 60_000

/** An answer as it is told later. */
export interface LateAnswer {
  status: number
  body: string
}

/** Calls that take longer than a request may: their answers are asked for afterwards. */
export interface LateAnswers {
  /** The answer of `work`, or null when it is not there within `withinMs`; then `of` has it. */
  answer(id: string, withinMs: number, work: Promise<Response>): Promise<Response | null>
  /** Waits up to `withinMs`: an answer (once), `running`, or null for a call that is not known here. */
  of(id: string, withinMs: number): Promise<LateAnswer | 'running' | null>
}

/** `value`, or null after `ms`. */
const within = async <Value>(value: Promise<Value>, ms: number): Promise<Value | null> => {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), ms)
  })
  try {
    return await Promise.race([value, late])
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Keeps them in memory alone, so that also secrets and what only reads can be fetched; a minute
 * after they came, and the oldest first where there are too many. What changes something is in the
 * registry besides (`call-outcomes.ts`).
 */
export const createLateAnswers = (keepMs = KEEP_MS, maxKept = MAX_KEPT): LateAnswers => {
  const late = new Map<string, Promise<LateAnswer>>()
  const ended = new Set<string>()
  const forget = (id: string): void => {
    late.delete(id)
    ended.delete(id)
  }

  return {
    async answer(id, withinMs, work) {
      const inTime = await within(work, withinMs)
      if (inTime !== null) return inTime
      const kept = work.then(async (response) => ({
        status: response.status,
        body: await response.text(),
      }))
      late.set(id, kept)
      // A fault is told to whoever asks; nobody has to ask.
      void kept
        .catch(() => undefined)
        .then(() => {
          ended.add(id)
          setTimeout(() => forget(id), keepMs).unref()
          const [oldest] = ended
          if (ended.size > maxKept && oldest !== undefined) forget(oldest)
        })
      return null
    },
    async of(id, withinMs) {
      const kept = late.get(id)
      if (kept === undefined) return null
      const answer = await within(kept, withinMs)
      if (answer === null) return 'running'
      forget(id)
      return answer
    },
  }
}
