/** Structured log. `fields` must hold no secret. */
export interface Log {
  /** Something that went as it should, and that somebody may want to know later. */
  info(message: string, fields?: Record<string, unknown>): void
  /** Something that went wrong and was dealt with, or will be. */
  warn(message: string, fields?: Record<string, unknown>): void
  /** Something that failed and needs the administrator. */
  error(message: string, fields?: Record<string, unknown>): void
}
