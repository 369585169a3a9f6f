import { randomBytes } from 'node:crypto'
import type { PageChange } from '../../workers/messages.ts'

/**
 * What instances over one Redis tell each other of pages that were replaced or taken
 * away while others may have copies in memory: `<instance> <JSON>`, on the channel of
 * the purges. Nothing depends on it that a purge would have to guarantee.
 */
export interface RedisChanges {
  message(change: PageChange): string
  /** Null for what is none, or comes from here. */
  read(message: string): PageChange | null
}

const MAX_CHARACTERS = 16_384

const isChange = (value: unknown): value is PageChange =>
  typeof value === 'object' &&
  value !== null &&
  'id' in value &&
  typeof value.id === 'string' &&
  'edition' in value &&
  (value.edition === null || typeof value.edition === 'string')

export const createRedisChanges = (): RedisChanges => {
  const instance = randomBytes(8).toString('hex')
  return {
    message: ({ id, edition }) => `${instance} ${JSON.stringify({ id, edition })}`,
    read(message) {
      const at = message.indexOf(' {')
      if (at < 0 || message.length > MAX_CHARACTERS || message.slice(0, at) === instance)
        return null
      try {
        const value: unknown = JSON.parse(message.slice(at + 1))
        return isChange(value) ? { id: value.id, edition: value.edition } : null
      } catch {
        return null
      }
    },
  }
}
