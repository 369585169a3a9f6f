import type { MemberRole } from '../../ports/store/column-types.ts'

/** What a person may be in an account, the mightiest first. */
export const MEMBER_ROLES = ['owner', 'developer', 'reader'] as const satisfies MemberRole[]

/** What something in an account asks of whoever works in it. */
export type Level =
  /** Looks. */
  | 'read'
  /** Works on sites, files, databases and what belongs to them. */
  | 'develop'
  /** Decides about the account: who is in it, its password, what cannot be got back. */
  | 'own'

const LEVELS: Readonly<Record<MemberRole, readonly Level[]>> = {
  owner: ['read', 'develop', 'own'],
  developer: ['read', 'develop'],
  reader: ['read'],
}

/** Whether a role in an account is enough for a level. */
export const reaches = (role: MemberRole, level: Level): boolean => LEVELS[role].includes(level)

/** The roles that are enough, the least of them first. */
export const rolesFor = (level: Level): MemberRole[] =>
  MEMBER_ROLES.filter((role) => reaches(role, level)).reverse()
