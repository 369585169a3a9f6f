import { notFound } from '#handlers/errors.ts'
import type { AccountUse, AccountUsePort } from '#handlers/ports/host/accounts/account-use.ts'

/** What accounts used, as a test says it. */
export interface FakeAccountUse extends AccountUsePort {
  used: Map<string, AccountUse>
}

export const createFakeAccountUse = (exists: (username: string) => boolean): FakeAccountUse => {
  const used = new Map<string, AccountUse>()
  return {
    used,
    async of({ username }) {
      if (!exists(username)) throw notFound(`There is no account "${username}" on this host.`)
      return (
        used.get(username) ?? {
          ...{ step_secs: 300, points: [], memory_ends: [] },
          disk_held_by: 'berth' as const,
        }
      )
    },
    shortOfMemory: async () =>
      [...used].toSorted().flatMap(([username, { memory_ends: ends }]) => {
        const last = ends.at(-1)
        if (last === undefined) return []
        const count = ends.reduce((sum, one) => sum + one.count, 0)
        return [{ username, count, last_secs: last.at_secs }]
      }),
  }
}
