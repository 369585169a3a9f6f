import type { AccountRow } from '../../ports/store/records.ts'
import type { SftpLoginKey, SftpLogins } from '../../ports/host/sftp.ts'
import type { SshKeyRow } from '../../ports/store/sftp/sftp-store.ts'
import { planOf } from '../records/lookup.ts'
import { createKeyedLock } from '../journal/keyed-lock.ts'
import type { ServiceDeps } from '../service-deps.ts'

/** What is said otherwise than the records have it. */
export interface TellBut {
  /** A key that opens nothing any more. */
  key?: number
  passwords?: boolean
  /** Whether it was said that the account has a shell. */
  shell?: boolean
  /** A user that is none any more. */
  user?: number
}

/** How the host is told of the log-ins of an account: as a whole, one change after the other. */
export interface SftpTurn {
  inTurn<T>(accountId: number, work: () => Promise<T>): Promise<T>
  /** What should open an account, by the records. */
  loginsOf(account: AccountRow, but?: TellBut): Promise<SftpLogins>
  tell(account: AccountRow, but?: TellBut): Promise<void>
}

const HOST_ACCESS = { read: 'pull', write: 'push' } as const

/** By the store's records. */
export const createSftpTurn = ({
  store,
  host,
  judges,
}: Pick<ServiceDeps, 'store' | 'host' | 'judges'>): SftpTurn => {
  const locks = createKeyedLock(judges)
  const loginsOf: SftpTurn['loginsOf'] = async (account, but = {}) => {
    const keys = (await store.listSshKeys({ accountId: account.id })).rows
    const said = but.shell ?? (await store.sftpShell(account.id))
    const users = (await store.listSftpUsers({ accountId: account.id })).rows
    const applications = (await store.listApplications({ accountId: account.id })).rows
    const open = keys.filter((key: SshKeyRow) => key.id !== but.key)
    const told = (key: SshKeyRow): SftpLoginKey => ({
      id: key.id,
      publicKey: key.public_key,
      expiresAt: key.expires_at,
    })
    const keysOf = (user: number | null) =>
      open.filter((key) => key.sftp_user_id === user && key.application_id === null).map(told)
    // While nobody pushes to it there is no repository that a key could be for.
    const boundKeys = applications
      .filter(({ source_push }) => source_push)
      .flatMap(({ id, name }) =>
        open
          .filter(({ application_id }) => application_id === id)
          .map((key) => ({
            ...told(key),
            repository: { name, access: HOST_ACCESS[key.access ?? 'read'] },
          })),
      )
    return {
      username: account.username,
      passwords: but.passwords ?? (await store.sftpPasswords(account.id)),
      keys: keysOf(null),
      ...(boundKeys.length === 0 ? {} : { repositoryKeys: boundKeys }),
      shell: said && (await planOf(store, account)).shells_limit > 0,
      ...(applications.some(({ source_push }) => source_push) ? { git: true } : {}),
      users: users
        .filter(({ id }) => id !== but.user)
        .map((user) => ({
          name: user.name,
          folder: user.folder,
          passwords: user.passwords,
          readOnly: user.read_only,
          keys: keysOf(user.id),
        })),
    }
  }
  return {
    inTurn: (accountId, work) => locks.run(String(accountId), work),
    loginsOf,
    tell: async (account, but) => host.sftp.setLogins(await loginsOf(account, but)),
  }
}
