import { isGone } from '../../journal/attempts.ts'
import type { PanelHosts } from '../../on-hosts/panel-hosts.ts'
import { LOCAL_HOST } from '../../../ports/store/host-store.ts'
import type { OperationKind } from '../../journal/journal.ts'
import type { Accounts } from '../../accounts/accounts.ts'

export const BACKUP_IMPORT = 'backup.import'

/** Not the account: each step of an import is done in the account's turn by itself. */
export const importSubject = (username: string): string => `import:${username}`

/** What settling needs. */
export interface ImportData extends Record<string, unknown> {
  account_id: number
  /** Where the archive is open, and the account is made. */
  host_id: number
  /** Of the archive that the host has open for it. */
  import_id: string
}

/** Half an account is none: what an import has made of one goes with it. */
export const importOperationKind = (
  accounts: Pick<Accounts, 'remove'>,
  host: Pick<PanelHosts, 'of'>,
): OperationKind => ({
  kind: BACKUP_IMPORT,
  settle: 'undo',
  steps: ({ data }) => [
    {
      name: 'archive',
      run: () =>
        host
          .of(Number(data['host_id'] ?? LOCAL_HOST))
          .imports.close({ importId: String(data['import_id']) }),
    },
    {
      name: 'account',
      async run() {
        try {
          await accounts.remove(Number(data['account_id']))
        } catch (error) {
          if (!isGone(error)) throw error
        }
      },
    },
  ],
})
