import { planLimitReached } from '../../domain/accounts/plan.ts'
import { parsePathBelowHome } from '../../domain/files/home-path.ts'
import { timestamp } from '../../domain/text/timestamp.ts'
import { conflict, notFound } from '../../errors.ts'
import type { AccountRow } from '../../ports/store/records.ts'
import type { ListedSftpUser, SftpUserRow } from '../../ports/store/sftp/sftp-user-store.ts'
import type { ListQuery, Page } from '../../ports/store/store.ts'
import { planOf, requireAccount, requireSettledAccount } from '../records/lookup.ts'
import type { ServiceDeps } from '../service-deps.ts'
import type { SftpTurn } from './sftp-turn.ts'

/** A user with what the host says of it. */
export interface SftpUserView extends ListedSftpUser {
  /** Why it gets nowhere; null: it does. */
  problem: string | null
}

/** What may be said of a user; `password` null: none opens it. */
export interface SftpUserChange {
  folder?: string
  readOnly?: boolean
  password?: string | null
}

/** Users of accounts for one folder of the home each. 404 for an account or user that is not there, 503 where the host has no SFTP. */
export interface SftpUsers {
  /** Of one account, or of all. */
  list(accountId: number | null, query: ListQuery): Promise<Page<SftpUserView>>
  /** `word`: what follows the account's name and `_`. `bounded`: 403 where the account has as many as its plan allows. 409 for a name that is taken. */
  create(
    accountId: number,
    user: { word: string; folder: string; readOnly: boolean; password: string | null },
    bounded: boolean,
  ): Promise<SftpUserView>
  change(accountId: number, id: number, change: SftpUserChange): Promise<SftpUserView>
  remove(accountId: number, id: number): Promise<void>
}

type Deps = Pick<ServiceDeps, 'store' | 'host' | 'clock'> & { turn: SftpTurn }

export const createSftpUsers = ({ store, host, clock, turn }: Deps): SftpUsers => {
  const { inTurn, tell } = turn
  const now = (): string => timestamp(clock.nowMs())
  const require = async (accountId: number, id: number): Promise<SftpUserRow> => {
    const user = await store.sftpUser(id)
    if (user === null || user.account_id !== accountId)
      throw notFound('No such user. List the SFTP users of the account to see which there are.')
    return user
  }
  /** Where the host does not answer, nothing is known to be wrong. */
  const problemsOf = async (username: string): Promise<Map<string, string | null>> => {
    const told = await host.sftp.userProblems({ username }).catch(() => [])
    return new Map(told.map(({ name, problem }) => [name, problem]))
  }
  const viewOf = async (account: AccountRow, id: number): Promise<SftpUserView> => {
    const { rows } = await store.listSftpUsers({ accountId: account.id })
    const row = rows.find((user) => user.id === id)
    if (row === undefined) throw notFound('The user was removed meanwhile.')
    return { ...row, problem: (await problemsOf(account.username)).get(row.name) ?? null }
  }
  const note = (ending: string, { id, username }: AccountRow, { name, folder }: SftpUserRow) =>
    store.insertEvent({
      at: now(),
      ending,
      subject: `sftp_user:${name}`,
      data: { account_id: id, username, name, folder },
    })
  const setPassword = (account: AccountRow, name: string, password: string): Promise<void> =>
    host.sftp.setUserPassword({ username: account.username, name, password })

  return {
    async list(accountId, query) {
      if (accountId !== null) await requireAccount(store, accountId)
      const { rows, total } = await store.listSftpUsers(
        accountId === null ? query : { ...query, accountId },
      )
      const names = [...new Set(rows.map((row) => row.username))]
      const all = new Map((await Promise.all(names.map(problemsOf))).flatMap((one) => [...one]))
      return { rows: rows.map((row) => ({ ...row, problem: all.get(row.name) ?? null })), total }
    },
    create: (accountId, { word, folder, readOnly, password }, bounded) =>
      inTurn(accountId, async () => {
        const account = await requireSettledAccount(store, accountId)
        const limit = bounded ? (await planOf(store, account)).sftp_users_limit : null
        const made = await store.insertSftpUser(
          {
            account_id: accountId,
            name: `${account.username}_${word}`,
            folder: parsePathBelowHome(folder, 'folder'),
            passwords: password !== null,
            read_only: readOnly,
            created_at: now(),
          },
          limit,
        )
        if (made === 'taken') throw conflict('The account has a user of this name already.', 'name')
        if (made === 'limit') {
          const { sftp_users: used } = await store.accountUsage(accountId)
          throw planLimitReached(account, 'SFTP users', used, limit ?? used)
        }
        try {
          await tell(account)
          if (password !== null) await setPassword(account, made.name, password)
        } catch (error) {
          await store.deleteSftpUser(made.id)
          await tell(account).catch(() => undefined)
          throw error
        }
        await note('sftp_user.created:done', account, made)
        return viewOf(account, made.id)
      }),
    change: (accountId, id, { folder, readOnly, password }) =>
      inTurn(accountId, async () => {
        const account = await requireSettledAccount(store, accountId)
        const before = await require(accountId, id)
        // Before it counts, so that no old one does.
        if (typeof password === 'string') await setPassword(account, before.name, password)
        await store.updateSftpUser(id, {
          ...(folder === undefined ? {} : { folder: parsePathBelowHome(folder, 'folder') }),
          ...(readOnly === undefined ? {} : { read_only: readOnly }),
          ...(password === undefined ? {} : { passwords: password !== null }),
        })
        try {
          await tell(account)
        } catch (error) {
          const { folder, read_only, passwords } = before
          await store.updateSftpUser(id, { folder, read_only, passwords })
          throw error
        }
        return viewOf(account, id)
      }),
    remove: (accountId, id) =>
      inTurn(accountId, async () => {
        const account = await requireSettledAccount(store, accountId)
        const user = await require(accountId, id)
        // First where it counts, as with keys.
        await tell(account, { user: id })
        await store.deleteSftpUser(id)
        await note('sftp_user.removed:done', account, user)
      }),
  }
}
