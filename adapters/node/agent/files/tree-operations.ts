import { parseHomePath, parsePathBelowHome } from '#handlers/domain/files/home-path.ts'
import type { FileEntry, FilesPort } from '#handlers/ports/host/files.ts'
import type { RegisteredAccount } from '../registry/types.ts'
import type { DiskUsage } from './disk-usage-cache.ts'
import type { HelperFacts } from './helper-messages.ts'
import type { HelperPool } from './helper-pool.ts'

/** Copying or packing a tree of a hundred thousand files. */
const LONG_TIMEOUT_MS = 600_000

/** What makes whole trees grow: copies, archives and what comes out of them. */
export const createTreeOperations = (deps: {
  known(username: string): RegisteredAccount
  growing<T>(
    account: RegisteredAccount,
    work: (availableBytes: number | null) => Promise<T>,
  ): Promise<T>
  entryOf(account: RegisteredAccount, path: string, facts: HelperFacts): FileEntry
  helpers: HelperPool
  usage: DiskUsage
}): Pick<FilesPort, 'copy' | 'archive' | 'extract'> => {
  const { known, growing, entryOf, helpers, usage } = deps
  return {
    copy: async (input) => {
      const account = known(input.username)
      const path = parsePathBelowHome(input.path)
      const to = parsePathBelowHome(input.to)
      return growing(account, async (availableBytes) => {
        const request = { op: 'copy', path, to, availableBytes } as const
        const { data } = await helpers.ask(account, request, { timeoutMs: LONG_TIMEOUT_MS })
        usage.grew(account.username, data.grownBytes)
        return entryOf(account, to, data.facts)
      })
    },
    archive: async (input) => {
      const account = known(input.username)
      const paths = input.paths.map((one) => parsePathBelowHome(one))
      const to = parsePathBelowHome(input.to)
      return growing(account, async (availableBytes) => {
        const request = { op: 'archive', paths, to, availableBytes } as const
        const { data } = await helpers.ask(account, request, { timeoutMs: LONG_TIMEOUT_MS })
        usage.grew(account.username, data.grownBytes)
        const { entries, skipped } = data
        return { entry: entryOf(account, to, data.facts), entries, skipped }
      })
    },
    extract: async (input) => {
      const account = known(input.username)
      const { overwrite } = input
      const path = parsePathBelowHome(input.path)
      const to = parseHomePath(input.to)
      return growing(account, async (availableBytes) => {
        const request = { op: 'extract', path, to, overwrite, availableBytes } as const
        const { data } = await helpers.ask(account, request, { timeoutMs: LONG_TIMEOUT_MS })
        usage.grew(account.username, data.grownBytes)
        return { entries: data.entries }
      })
    },
  }
}
