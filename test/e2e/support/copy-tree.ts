import { asUser } from '#adapters/node/process/as-user.ts'
import { mustRun } from '#adapters/node/process/run-command.ts'
import type { Tenant } from '#test/support/tenant.ts'

/** Copies a directory's content into one of the account's, as the account. */
export const copyTree = async (tenant: Tenant, from: string, to: string): Promise<void> => {
  const identity = { uid: tenant.uid, gid: tenant.uid, groups: 'none' as const }
  for (const argv of [
    asUser(identity, 'mkdir', ['-p', '--', tenant.path(to)]),
    asUser(identity, 'cp', ['-r', '--', `${from}/.`, tenant.path(to)]),
  ]) {
    await mustRun(argv.program, argv.args)
  }
}
