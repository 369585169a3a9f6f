import { hash, randomBytes } from 'node:crypto'
import { dayNumber } from '#handlers/domain/figures/figures-day.ts'

const KEY_BYTES = 32
/** Where more days than these lie between, they are taken in one step. */
const MAX_STEPS = 400

/** The secret that visitors of a day are hashed with, and its day. */
export interface DayKey {
  day: number
  /** Base64 of 32 bytes. */
  key: string
}

/** A new one for today. */
export const createDayKey = (nowMs: number): DayKey => ({
  day: dayNumber(nowMs),
  key: randomBytes(KEY_BYTES).toString('base64'),
})

/**
 * Hashes visitors with a key of the day, which is the same for all workers. At midnight
 * (UTC) the next key is made from the day's by a hash, which nobody can turn back, and
 * that of the day before is nowhere any more: whoever finds a key learns nothing of
 * visitors of earlier days, however many addresses he tries.
 */
export class VisitorKey {
  #key: DayKey

  constructor(key: DayKey) {
    this.#key = key
  }

  /** Of that day; a day that is over keeps the key that is there. */
  of(day: number): DayKey {
    if (day - this.#key.day > MAX_STEPS) this.#stepTo(day)
    while (this.#key.day < day) this.#stepTo(this.#key.day + 1)
    return this.#key
  }

  /** 32 bits of a visitor of a site. */
  hashOf(day: number, site: string, address: string, agent: string | null): number {
    const { key } = this.of(day)
    return hash('sha256', `${key}\n${site}\n${address}\n${agent ?? ''}`, 'buffer').readUInt32LE(0)
  }

  #stepTo(day: number): void {
    this.#key = { day, key: hash('sha256', `${day}\n${this.#key.key}`, 'base64') }
  }
}
