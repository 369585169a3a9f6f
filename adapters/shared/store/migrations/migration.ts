/** One version of the schema; its statements run once, in one transaction. Never edit one that was released. */
export interface Migration {
  version: number
  statements: readonly string[]
}
