import CirclePause from '@lucide/svelte/icons/circle-pause'
import CirclePlay from '@lucide/svelte/icons/circle-play'
import ArrowLeftRight from '@lucide/svelte/icons/arrow-left-right'
import LogIn from '@lucide/svelte/icons/log-in'
import Pencil from '@lucide/svelte/icons/pencil'
import Trash from '@lucide/svelte/icons/trash'
import type { Account } from '$lib/api/types'
import type { RowAction } from '$lib/components/ui/list/list-types'
import { knownHosts } from '$lib/state/hosts.svelte'
import { texts } from '$lib/texts'

/** What to do when one of them is chosen. */
export interface AccountHandlers {
  onedit: (account: Account) => unknown
  onloginas: (account: Account) => unknown
  onsuspend: (accounts: Account[]) => unknown
  onunsuspend: (accounts: Account[]) => unknown
  ondelete: (accounts: Account[]) => unknown
  /** For administrators alone, who may choose machines. */
  onrelocate?: (account: Account) => unknown
}

/** What an administrator may do to an account as it is now. */
export const accountActions = (account: Account, on: AccountHandlers): RowAction[] => {
  const t = texts.accounts
  const { status } = account
  const { onrelocate } = on
  const settled = status === 'active' || status === 'suspended'
  return [
    ...(settled
      ? [
          { label: t.edit.action, icon: Pencil, run: () => on.onedit(account) },
          {
            label: t.loginAs.action,
            icon: LogIn,
            blocked: status === 'active' ? undefined : t.loginAs.blocked,
            run: () => on.onloginas(account),
          },
        ]
      : []),
    ...(status === 'active'
      ? [{ label: t.suspend.action, icon: CirclePause, run: () => on.onsuspend([account]) }]
      : []),
    ...(status === 'suspended'
      ? [{ label: t.unsuspend.action, icon: CirclePlay, run: () => on.onunsuspend([account]) }]
      : []),
    ...(onrelocate && settled && knownHosts.openBeside(account.host_id).length > 0
      ? [
          {
            label: texts.hosts.relocate.action,
            icon: ArrowLeftRight,
            run: () => onrelocate(account),
          },
        ]
      : []),
    { label: t.remove.action, icon: Trash, danger: true, run: () => on.ondelete([account]) },
  ]
}
