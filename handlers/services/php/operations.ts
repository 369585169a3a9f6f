import type { OperationRow, PhpMode } from '../../ports/store/records.ts'
import { attemptId } from '../journal/attempts.ts'
import type { OperationKind, Step } from '../journal/journal.ts'
import type { ServiceDeps } from '../service-deps.ts'
import type { VirtualHosts } from '../virtual-hosts/virtual-hosts.ts'
import { effectivePhp } from '../virtual-hosts/virtual-hosts.ts'

export const PHP_CONFIGURE = 'php.configure'

type Deps = Pick<ServiceDeps, 'store' | 'host'> & { vhosts: VirtualHosts }

/** Puts back the version and mode that the account had before. */
const undoSteps = ({ store, host, vhosts }: Deps, operation: OperationRow): Step[] => {
  const { account_id, php_version, php_mode } = operation.data
  const accountId = Number(account_id)
  const before = {
    php_version: typeof php_version === 'string' ? php_version : null,
    php_mode: php_mode as PhpMode,
  }
  return [
    { name: 'row', run: () => store.updateAccount(accountId, before) },
    {
      name: 'host',
      async run() {
        const account = await store.accountById(accountId)
        if (account === null || operation.steps.length === 0) return
        const php = effectivePhp(before, await host.of(account.host_id).php.versions())
        if (php === null) return
        const username = account.username
        await host.php.configure({ operationId: attemptId(operation), username, ...php })
        await host.of(account.host_id).webServer.apply(await vhosts.ofAccount(account))
      },
    },
  ]
}

/** How a change of the PHP version is settled. */
export const phpOperationKinds = (deps: Deps): OperationKind[] => [
  { kind: PHP_CONFIGURE, settle: 'undo', steps: (operation) => undoSteps(deps, operation) },
]
