/** Who wants to be alone with something. */
export interface LeaseOrder {
  /** What nobody else may change meanwhile, e.g. the name of an account. */
  subject: string
  /** The instance; its own leases, also those of an earlier process of it, never stand in its way. */
  holder: string
  ttlMs: number
  /**
   * Goes before all that waits: where the lease is another's, nobody but this holder gets it for
   * the next `urgentMs`.
   */
  urgentMs?: number
}

/**
 * Leases over all instances of the panel that share the store. Only the store's own time counts,
 * so it does not matter whether the clocks of their machines agree.
 */
export interface LeaseStore {
  /**
   * Takes a lease that is free, has run out or is the holder's own. Answers its term, a number
   * above those of all leases so far, whatever their subject; null: another one holds it.
   */
  takeLease(order: LeaseOrder): Promise<number | null>
  /** Renews in one statement. Answers the terms that are still the holder's; others took the rest. */
  renewLeases(holder: string, terms: readonly number[], ttlMs: number): Promise<number[]>
  /**
   * Gives a lease that lasts still a new term, above `above` too. Answers it; null: it is the
   * holder's no more.
   */
  raiseLease(holder: string, term: number, above: number): Promise<number | null>
  /** Another may have it at once. No effect when another has it already. */
  releaseLease(holder: string, term: number): Promise<void>
  /** Subjects that other instances change now. */
  subjectsOfOthers(holder: string): Promise<string[]>
  /** Ids and subjects of open operations of whose subject nobody holds a lease, oldest first. */
  unattendedOperations(): Promise<{ id: string; subject: string; kind: string }[]>
  /** The store's own time, in milliseconds since 1970. */
  storeTimeMs(): Promise<number>
  /** Tells that an instance lives. */
  beat(instance: string): Promise<void>
  /** Those that told so within `withinMs`, in the order of their names. */
  livingInstances(withinMs: number): Promise<string[]>
}
