import type { Role } from '../ports/records.ts'

/** Who makes a request, as the guard found it. */
export interface Caller {
  /** Id of the administrator, or of the account. */
  id: number
  username: string
  role: Role
  /** Only for role `account`: the one account it may touch. */
  accountId: number | null
  jti: string
  expiresAtSecs: number
}
