/** The turn in which something is changed, where several instances of the panel share the store. */
export interface Turn {
  /** What its lease is about, e.g. the name of an account. */
  readonly subject: string
  /** Of its lease: whoever has the next turn has a higher one. */
  readonly term: number
  /** Gives the lease a term above `term`, which a host has seen; throws 503 when it is another instance's by now. */
  raise(term: number): Promise<void>
}
