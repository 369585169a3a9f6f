/** Access to a zone as it is shown: without what opens it. */
export interface DnsAccess {
  /** Chosen by its owner, who has it once. */
  name: string
  /** How the zone is changed: dynamic updates (RFC 2136), signed by a key (RFC 8945, hmac-sha256). */
  kind: 'rfc2136'
  /** `host` or `host:port` of the primary server. */
  server: string
  zone: string
  key_name: string
  /** UTC, `YYYY-MM-DD HH:MM:SS`. */
  created_at: string
}

/** What is kept, with the secret of its key. */
export type NewDnsAccess = Omit<DnsAccess, 'created_at'> & {
  /** Base64; it stays with the host and is never told again. */
  secret: string
}

/** Whose it is; null: the panel's, for its own name. */
export interface DnsAccessOwner {
  username: string | null
}

/**
 * Access to zones by which names are proved to certificate authorities. Each is used for
 * names of its owner alone. It goes with its account.
 */
export interface DnsAccessPort {
  /** By name. */
  list(input: DnsAccessOwner): Promise<DnsAccess[]>
  /**
   * Sets and removes a record of the zone, then keeps the access. 404 for no such account,
   * 409 for a name that is taken or one too many, 400 (`server`) for an address of this
   * machine's own network, 503 when the server refuses or does not answer.
   */
  add(input: DnsAccessOwner & { access: NewDnsAccess }): Promise<DnsAccess>
  /** Forgets it with its key. 404 where it is not. */
  remove(input: DnsAccessOwner & { name: string }): Promise<void>
}
