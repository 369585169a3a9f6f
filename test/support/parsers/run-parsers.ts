import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { ALL_PARSERS } from './all-parsers.ts'
import { HOSTILE_TEXTS } from './hostile-texts.ts'
import type { ListedParser } from './parser-list.ts'

/** What the thread is told. */
export interface ParserOrder {
  /** The first case: parser times number of texts, plus text. */
  from: number
  /** One 32-bit number: the case that it is at. */
  progress: SharedArrayBuffer
}

/** Computing time after which a text is taken for one that has no end. */
const MAX_CPU_MS = 1000
/** A machine may be busy with other things for so long. */
const MAX_WALL_MS = 60_000
const LOOK_EVERY_MS = 100
/** Longer texts tell no more: a reader that looks again from each character does not end here either. */
const MAX_BYTES = 64 * 1024

/** Length of the texts of a parser: its limit, unless that is very large. */
export const textBytes = ({ maxBytes }: ListedParser): number => Math.min(maxBytes, MAX_BYTES)

const cpuMs = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/** Runs a thread from case `from` on. The case that did not end, or null when all did; rejects when the thread failed. */
const runFrom = async (from: number): Promise<number | null> => {
  const progress = new SharedArrayBuffer(4)
  const at = new Int32Array(progress)
  at[0] = -1
  const order: ParserOrder = { from, progress }
  const thread = new Worker(new URL('./parser-thread.ts', import.meta.url), { workerData: order })
  const ended = new Promise<true>((resolve, reject) => {
    thread.once('message', () => resolve(true))
    thread.once('error', reject)
    thread.once('exit', () => reject(new Error('The thread ended before its time.')))
  })
  // Awaited below; until then a failure is nobody's.
  ended.catch(() => undefined)
  try {
    let current = -1
    let begun = { cpuMs: 0, wallMs: 0 }
    for (;;) {
      if (await Promise.race([ended, sleep(LOOK_EVERY_MS, false)])) return null
      const now = Atomics.load(at, 0)
      if (now !== current) {
        current = now
        begun = { cpuMs: cpuMs(), wallMs: performance.now() }
      } else if (current !== -1) {
        const isStuck =
          cpuMs() - begun.cpuMs > MAX_CPU_MS || performance.now() - begun.wallMs > MAX_WALL_MS
        if (isStuck) return current
      }
    }
  } finally {
    await thread.terminate()
  }
}

/** Runs every hostile text through every parser; `PARSER: TEXT` of those that did not end. After one the parser's other texts are left out. */
export const unendingParsers = async (): Promise<string[]> => {
  const found: string[] = []
  for (let from: number | null = 0; from !== null;) {
    const stuck: number | null = await runFrom(from)
    if (stuck === null) return found
    const parser = Math.floor(stuck / HOSTILE_TEXTS.length)
    const text = HOSTILE_TEXTS[stuck % HOSTILE_TEXTS.length]
    found.push(`${ALL_PARSERS[parser]?.name}: ${text?.name}`)
    from = (parser + 1) * HOSTILE_TEXTS.length
  }
  return found
}
