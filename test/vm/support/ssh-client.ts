import { existsSync, readFileSync } from 'node:fs'
import { mustRun, runCommand, type CommandResult } from '#adapters/node/process/run-command.ts'
import type { PanelClient } from '#test/support/panel-client.ts'
import type { Tenant } from '#test/support/tenant.ts'

const KEY = '/root/berth-test-key'
const OPTIONS = [
  'StrictHostKeyChecking=no',
  'UserKnownHostsFile=/dev/null',
  'LogLevel=ERROR',
  'BatchMode=yes',
  'IdentitiesOnly=yes',
].flatMap((one) => ['-o', one])

/** Gives an account a shell and a key, unless it has them; answers what runs a command there by ssh(1). */
export const sshClient = async (
  panel: PanelClient,
  tenant: Tenant,
): Promise<(command: string) => Promise<CommandResult>> => {
  if (!existsSync(KEY)) {
    await mustRun('/usr/bin/ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', KEY])
    await panel.data('PATCH', `/api/sftp/${tenant.id}/shell`, { shell: true })
    await panel.data('POST', '/api/ssh-keys', {
      ...{ account_id: tenant.id, name: 'test' },
      public_key: readFileSync(`${KEY}.pub`, 'utf8').trim(),
    })
  }
  return (command) =>
    runCommand(
      '/usr/bin/ssh',
      [...OPTIONS, '-i', KEY, '--', `${tenant.username}@127.0.0.1`, command],
      { timeoutMs: 300_000 },
    )
}
