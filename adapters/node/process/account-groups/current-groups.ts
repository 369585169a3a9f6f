import type { AccountGroups, GroupKind } from './account-groups.ts'

let current: AccountGroups | null = null

/** Says in which groups accounts' programs begin from now on. Null: in that of the agent, as before the first call. */
export const configureAccountGroups = (groups: AccountGroups | null): void => {
  current = groups
}

/** The words before a command line of root's that put it into the account's group, or a part of it; none where there are no groups. */
export const accountGroupWords = (uid: number, kind: GroupKind, part?: string): string[] =>
  current?.words(uid, kind, part) ?? []

/** Parts of accounts' programs in the groups that there are; false where the processor is held by none. */
export const accountParts = {
  async set(uid: number, part: string, cpuPercent: number): Promise<boolean> {
    if (current === null || !current.holds.includes('cpu')) return false
    await current.setPart(uid, part, cpuPercent)
    return true
  },
  async remove(uid: number, part: string): Promise<void> {
    await current?.removePart(uid, part)
  },
}
