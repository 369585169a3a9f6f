/** What an address answered. */
export interface AddressAnswer {
  status: number
  /** The beginning of it, at most 64 kB, as text. */
  body: string
}

/**
 * Asks addresses that owners of sites wrote, without following where they lead on. Never
 * reaches what is private to this machine's networks, but for the account's own sites.
 */
export interface AddressesPort {
  /** A GET; rejects with an error that says why when there is no answer in time, or the address is private. */
  get(
    url: string,
    options: { timeoutMs: number; ownNames: readonly string[]; signal: AbortSignal },
  ): Promise<AddressAnswer>
}
