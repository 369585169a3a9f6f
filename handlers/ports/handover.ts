/** What an instance of the panel must have that joins others over their store. Secrets. */
export interface PanelBundle {
  /** Of Berth; all instances have the same. */
  version: string
  /** `[panel] store`. */
  store: string
  /** Of the store's user; null: none is asked for. */
  store_password: string | null
  /** Root certificates for the store (PEM); null: the system's. */
  store_ca: string | null
  /** By which tokens of sessions are signed. */
  session_key: string
  /** Parts of the configuration that should be the same on all, as JSON by the name of the key. */
  settings: Record<string, string>
}

/** What this instance hands to another that joins. */
export interface Handover {
  /** Of Berth. */
  version: string
  /** SHA-256 of the certificate that this instance shows, hex; null: it has no TLS. */
  fingerprint(): string | null
  /** Secrets as they are now. Throws where a file cannot be read. */
  bundle(): PanelBundle
}

/** Where a panel keeps its records. */
export interface StorePlace {
  kind: 'sqlite' | 'postgresql' | 'd1'
  /** Of the program that keeps them; null: not told. */
  version: string | null
  /** A file, or `user@host:port/database`; never with a password. */
  place: string
}
