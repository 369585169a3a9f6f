import { existsSync, readFileSync } from 'node:fs'
import { mustRun, runCommand, type CommandResult } from '#adapters/node/process/run-command.ts'
import type { PanelClient } from '#test/support/panel-client.ts'
import type { Tenant } from '#test/support/tenant.ts'

const OPTIONS = [
  'StrictHostKeyChecking=no',
  'UserKnownHostsFile=/dev/null',
  'LogLevel=ERROR',
  'BatchMode=yes',
  'IdentitiesOnly=yes',
].flatMap((one) => ['-o', one])
const LIMIT_MS = 300_000

/** Of whom, and whether it was made at this call. */
const keyOf = async (name: string): Promise<{ file: string; isNew: boolean }> => {
  const file = `/root/berth-test-key-${name}`
  const isNew = !existsSync(file)
  if (isNew) await mustRun('/usr/bin/ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', file])
  return { file, isNew }
}
const publicKey = (file: string): string => readFileSync(`${file}.pub`, 'utf8').trim()

/** Gives the account, or its user for one folder, a key, unless it has one; answers what runs orders of sftp(1) as that user. */
export const sftpClient = async (
  panel: PanelClient,
  tenant: Tenant,
  user?: { id: number; name: string },
): Promise<(orders: string) => Promise<CommandResult>> => {
  const { file, isNew } = await keyOf(user?.name ?? 'account')
  if (isNew)
    await panel.data('POST', '/api/ssh-keys', {
      ...{ account_id: tenant.id, name: user?.name ?? 'test', public_key: publicKey(file) },
      ...(user === undefined ? {} : { sftp_user_id: user.id }),
    })
  const username = user?.name ?? tenant.username
  return (orders) =>
    runCommand(
      '/usr/bin/sftp',
      [...OPTIONS, '-i', file, '-b', '-', '--', `${username}@127.0.0.1`],
      { input: orders, timeoutMs: LIMIT_MS },
    )
}

/** Answers what runs a command by ssh(1) as an account that has a shell and was given a key by `sftpClient`. */
export const sshClient = async (
  tenant: Tenant,
): Promise<(command: string) => Promise<CommandResult>> => {
  const { file } = await keyOf('account')
  return (command) =>
    runCommand(
      '/usr/bin/ssh',
      [...OPTIONS, '-i', file, '--', `${tenant.username}@127.0.0.1`, command],
      { timeoutMs: LIMIT_MS },
    )
}
