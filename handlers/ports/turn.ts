/** The turn in which something is changed, where several instances of the panel share the store. */
export interface Turn {
  /** What its lease is about, e.g. the name of an account. */
  readonly subject: string
  /** Of its lease: whoever has the next turn has a higher one. */
  readonly term: number
  /** Whether it was given back: what goes on behind it is bound to nothing any more. */
  readonly isOver: boolean
  /** The turn in which this one was taken; null: none. */
  readonly outer: Turn | null
  /** Gives the lease a term above `term`, which a host has seen; throws 503 when it is another instance's by now. */
  raise(term: number): Promise<void>
}
