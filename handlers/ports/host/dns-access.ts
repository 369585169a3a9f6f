/** Access to a zone as it is shown: without what opens it. */
export interface DnsAccess {
  /** Chosen by its owner, who has it once. */
  name: string
  /**
   * How the zone is changed: dynamic updates (RFC 2136), signed by a key (RFC 8945,
   * hmac-sha256), the API of a provider with a token, or an acme-dns.
   */
  kind: 'rfc2136' | 'cloudflare' | 'desec' | 'acme-dns'
  /** `host` or `host:port` of the primary server, URL of an acme-dns; null: a provider. */
  server: string | null
  /** Of an acme-dns the name that its CNAME record is for. */
  zone: string
  /** Null unless by dynamic updates. */
  key_name: string | null
  /** Where the CNAME record of `_acme-challenge` leads to, of an acme-dns; null: none is needed. */
  target: string | null
  /** UTC, `YYYY-MM-DD HH:MM:SS`. */
  created_at: string
}

/** What is kept, with the secret of its key. */
export type NewDnsAccess = Omit<DnsAccess, 'created_at' | 'target'> & {
  /** Base64, or the token of a provider; it stays with the host and is never told again. Null: an acme-dns. */
  secret: string | null
}

/** What of an access is changed; what is not named stays. */
export interface DnsAccessChange {
  server?: string | undefined
  key_name?: string | undefined
  secret?: string | undefined
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
   * Sets and removes a record of the zone (at an acme-dns it registers first), then keeps the access. 404 for no such account,
   * 409 for a name that is taken or one too many, 400 (`server`) for an address of this
   * machine's own network, 503 when the server refuses or does not answer.
   */
  add(input: DnsAccessOwner & { access: NewDnsAccess }): Promise<DnsAccess>
  /** Tries it as `add` does with other words of it, and keeps these. 404 where it is not, 400 for what does not fit its kind. */
  change(input: DnsAccessOwner & { name: string; change: DnsAccessChange }): Promise<DnsAccess>
  /** Forgets it with its key. 404 where it is not. */
  remove(input: DnsAccessOwner & { name: string }): Promise<void>
}
