import type { AccountGroups, GroupKind } from './account-groups.ts'

let current: AccountGroups | null = null

/** Says in which groups accounts' programs begin from now on. Null: in that of the agent, as before the first call. */
export const configureAccountGroups = (groups: AccountGroups | null): void => {
  current = groups
}

/** The words before a command line of root's that put it into the account's group; none where there are no groups. */
export const accountGroupWords = (uid: number, kind: GroupKind): string[] =>
  current?.words(uid, kind) ?? []
