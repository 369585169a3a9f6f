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

/** What an instance of the panel says of itself. */
export interface InstanceFacts {
  /** Of its machine. */
  name: string
  /** Of Berth. */
  version: string
  /** Whether it is on the machine of host 0. */
  besideHost: boolean
}

/** An instance that shares the store, with what it said of itself last. */
export interface InstanceRow extends InstanceFacts {
  id: string
  /** When it was heard of last, in milliseconds since 1970, by the store's time. */
  seen_at_ms: number
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
  /** Whether another instance waits urgently for a subject whose lease `holder` has. */
  isUrged(holder: string, subject: string): Promise<boolean>
  /** Subjects that other instances change now. */
  subjectsOfOthers(holder: string): Promise<string[]>
  /** Ids and subjects of open operations of whose subject nobody holds a lease, oldest first. */
  unattendedOperations(): Promise<{ id: string; subject: string; kind: string }[]>
  /** The store's own time, in milliseconds since 1970. */
  storeTimeMs(): Promise<number>
  /** Tells that an instance lives, and what it is. */
  beat(instance: string, facts?: InstanceFacts): Promise<void>
  /** Those that were heard of within the last 30 days, in the order of their names. */
  listInstances(): Promise<InstanceRow[]>
  /** A machine may join by the secret of this hash, once, until then. */
  insertPanelInvitation(hash: string, untilSecs: number): Promise<void>
  /** Whether it counts; from now on it does no more. */
  takePanelInvitation(hash: string, nowSecs: number): Promise<boolean>
  /** Those that told so within `withinMs`, in the order of their names; all, or those on the machine of host 0. */
  livingInstances(withinMs: number, which?: { besideHost: true }): Promise<string[]>
}
