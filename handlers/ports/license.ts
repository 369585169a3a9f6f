/** The licence in force. A limit of -1 is unlimited. */
export interface License {
  tier: 'community' | 'pro' | 'business'
  valid: boolean
  accounts_limit: number
  domains_limit: number
  /** Why a licence file is not honoured, or null. */
  problem: string | null
  /** Whom it was issued to; null for Community. */
  holder: string | null
  /** Last day that it is good for, `YYYY-MM-DD`; null: for ever. */
  expires_at: string | null
}

/** Where the licence in force is learned from. */
export interface LicensePort {
  /**
   * Never rejects: a licence that cannot be read is Community, with the reason in
   * `problem`. A new licence counts from the next call on.
   */
  current(): Promise<License>
}
