import type { Report } from '../../ports/jobs.ts'
import type { Journal } from '../journal/journal.ts'
import { requireSettledAccount } from '../records/lookup.ts'
import type { ServiceDeps } from '../service-deps.ts'
import type { SftpTurn } from '../sftp/sftp.ts'
import type { VirtualHosts } from '../virtual-hosts/virtual-hosts.ts'
import { createAccountCopies, type AccountCopies } from './account-copies.ts'
import { createRelocate, type MovedAccount } from './relocate.ts'

/** Moves accounts between hosts. */
export interface Moves extends AccountCopies {
  /**
   * 400 for a host that is none, 404, 409 naming all that the host lacks, 503 where one is away. Whatever
   * fails before the account is on its new host leaves it where it was.
   */
  move(accountId: number, hostName: string, report?: Report): Promise<MovedAccount>
}

type Deps = ServiceDeps & { journal: Journal; turn: SftpTurn; vhosts: VirtualHosts }

export const createMoves = (deps: Deps): Moves => {
  const { store, journal } = deps
  const relocate = createRelocate(deps)
  return {
    ...createAccountCopies(deps),
    async move(accountId, hostName, report) {
      const { username } = await requireSettledAccount(store, accountId)
      return journal.exclusively(username, () => relocate(accountId, hostName, report))
    },
  }
}
