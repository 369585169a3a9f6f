/** The licence in force. A limit of -1 is unlimited. */
export interface License {
  tier: 'community' | 'pro' | 'business'
  valid: boolean
  accounts_limit: number
  domains_limit: number
  /** Why a licence file is not honoured, or null. */
  problem: string | null
}

export interface LicensePort {
  current(): Promise<License>
}
