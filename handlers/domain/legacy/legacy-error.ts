import type { Place } from './types.ts'

/** A configuration that cannot be read at all; the message names file, line and what to do. */
export class LegacyError extends Error {
  constructor(place: Place, message: string) {
    super(`${place.file}:${place.line}: ${message}`)
    this.name = 'LegacyError'
  }
}
