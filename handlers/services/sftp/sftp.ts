import { eachHost } from '../on-hosts/each-host.ts'
import { planLimitReached } from '../../domain/accounts/plan.ts'
import { fingerprintOf, parsePublicKey } from '../../domain/sftp/public-key.ts'
import { timestamp } from '../../domain/text/timestamp.ts'
import { conflict, forbidden, invalid, notFound } from '../../errors.ts'
import type { SftpDetails } from '../../ports/host/sftp.ts'
import type { AccountRow } from '../../ports/store/records.ts'
import type { KeyAccess, ListedSshKey, SshKeyRow } from '../../ports/store/sftp/sftp-store.ts'
import type { ListQuery, Page } from '../../ports/store/store.ts'
import { planOf, requireAccount, requireSettledAccount } from '../records/lookup.ts'
import type { ServiceDeps } from '../service-deps.ts'
import type { SftpTurn } from './sftp-turn.ts'

export type { SftpUsers } from './sftp-users.ts'
export type { SftpTurn } from './sftp-turn.ts'

/** How an account is reached over SFTP. */
export interface SftpAccess extends SftpDetails {
  username: string
  /** Where one begins; null while the account is being made. */
  home: string | null
  passwords: boolean
  /** Whether one gets a shell there. */
  shell: boolean
  /** Whether it was said so. */
  shellSwitch: boolean
  /** Whether the plan allows one. */
  shellAllowed: boolean
  /** Why one gets none although both are so; null: one does, or they are not. */
  shellProblem: string | null
}

/** A key as its owner gives it. */
export interface NewSshKey {
  name: string
  publicKey: string
  expiresAt: string | null
  /** The user for one folder that it is to open; absent: the account itself. */
  sftpUserId?: number | null
  /** The application whose repository it is to open, and nothing beside it; absent: none. */
  applicationId?: number | null
  /** At that repository; default: `read`. */
  access?: KeyAccess | null
}

/** Log-ins of accounts over SFTP. 404 for an account or key that is not there, 503 where the host has no SFTP. */
export interface Sftp {
  access(accountId: number): Promise<SftpAccess>
  setPasswords(accountId: number, wanted: boolean): Promise<SftpAccess>
  /** 403 where the plan of the account allows none. What is taken ends at once. */
  setShell(accountId: number, wanted: boolean): Promise<SftpAccess>
  /** Of one account, or of all. */
  keys(accountId: number | null, query: ListQuery): Promise<Page<ListedSshKey>>
  /** `bounded`: 403 where the account has as many as its plan allows. 409 where it has this one, or where the application has no repository. */
  addKey(accountId: number, key: NewSshKey, bounded: boolean): Promise<SshKeyRow>
  changeKey(
    accountId: number,
    id: number,
    change: Partial<Pick<NewSshKey, 'name' | 'expiresAt' | 'access'>>,
  ): Promise<SshKeyRow>
  removeKey(accountId: number, id: number): Promise<void>
  /** Tells the host again what opens each account; after a start. */
  tellHost(): Promise<void>
}

type Deps = Pick<ServiceDeps, 'store' | 'host' | 'clock' | 'log'> & { turn: SftpTurn }

const NO_KEY = 'No such key. List the keys of the account to see which there are.'

/** Log-ins by the store's records, which the host is told as a whole with each change. */
export const createSftp = ({ store, host, clock, log, turn }: Deps): Sftp => {
  const { inTurn, tell } = turn
  const now = (): string => timestamp(clock.nowMs())
  const require = async (accountId: number, id: number): Promise<SshKeyRow> => {
    const key = await store.sshKey(id)
    if (key === null || key.account_id !== accountId) throw notFound(NO_KEY)
    return key
  }
  const note = async (
    ending: string,
    { id, username }: AccountRow,
    { name, fingerprint, application_id, access }: SshKeyRow,
  ) => {
    const bound = application_id === null ? null : await store.applicationById(application_id)
    await store.insertEvent({
      at: now(),
      ending,
      subject: `ssh_key:${username}`,
      data: {
        ...{ account_id: id, username, name, fingerprint },
        ...(bound === null ? {} : { application: bound.name, access }),
      },
    })
  }
  const assertRepository = async (accountId: number, applicationId: number): Promise<void> => {
    const application = await store.applicationById(applicationId)
    if (application?.account_id !== accountId)
      throw notFound('The account has no such application.')
    if (!application.source_push)
      throw conflict(
        `${application.name} has no repository that a key could open. Let it be made from what is pushed to it first.`,
        'application_id',
      )
  }
  const access = async (accountId: number): Promise<SftpAccess> => {
    const account = await requireAccount(store, accountId)
    const { username, home } = account
    const passwords = await store.sftpPasswords(accountId)
    const details = await host.of(account.host_id).sftp.details()
    const shellSwitch = await store.sftpShell(accountId)
    const shellAllowed = (await planOf(store, account)).shells_limit > 0
    const wanted = shellSwitch && shellAllowed && details.available
    const shellProblem = wanted ? (await host.sftp.shellProblem({ username })).problem : null
    const shell = wanted && shellProblem === null
    return { ...details, username, home, passwords, shell, shellSwitch, shellAllowed, shellProblem }
  }

  return {
    access,
    setPasswords: (accountId, wanted) =>
      inTurn(accountId, async () => {
        const account = await requireSettledAccount(store, accountId)
        await tell(account, { passwords: wanted })
        await store.setSftpPasswords(accountId, wanted)
        return access(accountId)
      }),
    setShell: (accountId, wanted) =>
      inTurn(accountId, async () => {
        const account = await requireSettledAccount(store, accountId)
        const plan = await planOf(store, account)
        if (wanted && plan.shells_limit === 0)
          throw forbidden(
            `The plan ${plan.name} of ${account.username} allows no shell. Let it do so, or give the account another plan.`,
          )
        const before = await store.sftpShell(accountId)
        // Written down first when it is given and last when it is taken: what breaks off gives nothing.
        if (wanted) await store.setSftpShell(accountId, true)
        try {
          await tell(account, { shell: wanted })
        } catch (error) {
          if (wanted) await store.setSftpShell(accountId, before)
          throw error
        }
        if (!wanted) await store.setSftpShell(accountId, false)
        if (before !== wanted)
          await store.insertEvent({
            at: now(),
            ending: wanted ? 'shell.given:done' : 'shell.taken:done',
            subject: `shell:${account.username}`,
            data: { account_id: accountId, username: account.username },
          })
        return access(accountId)
      }),
    async keys(accountId, query) {
      if (accountId === null) return store.listSshKeys(query)
      await requireAccount(store, accountId)
      return store.listSshKeys({ ...query, accountId })
    },
    addKey: (accountId, given, bounded) =>
      inTurn(accountId, async () => {
        const { name, publicKey, expiresAt, sftpUserId = null, applicationId = null } = given
        const account = await requireSettledAccount(store, accountId)
        if (sftpUserId !== null && (await store.sftpUser(sftpUserId))?.account_id !== accountId)
          throw notFound('The account has no such SFTP user.')
        if (applicationId !== null) await assertRepository(accountId, applicationId)
        const key = parsePublicKey(publicKey)
        if ('fault' in key) throw invalid('public_key', `public_key ${key.fault}`)
        const limit = bounded ? (await planOf(store, account)).ssh_keys_limit : null
        const made = await store.insertSshKey(
          {
            account_id: accountId,
            sftp_user_id: sftpUserId,
            application_id: applicationId,
            access: applicationId === null ? null : (given.access ?? 'read'),
            name,
            type: key.type,
            public_key: key.text,
            fingerprint: await fingerprintOf(key.blob),
            expires_at: expiresAt,
            created_at: now(),
          },
          limit,
        )
        if (made === 'taken')
          throw conflict(
            'The account has this key already. Change its name or end there.',
            'public_key',
          )
        if (made === 'limit') {
          const { ssh_keys: used } = await store.accountUsage(accountId)
          throw planLimitReached(account, 'SSH keys', used, limit ?? used)
        }
        try {
          await tell(account)
        } catch (error) {
          await store.deleteSshKey(made.id)
          throw error
        }
        await note('ssh_key.added:done', account, made)
        return made
      }),
    changeKey: (accountId, id, { name, expiresAt, access }) =>
      inTurn(accountId, async () => {
        const account = await requireSettledAccount(store, accountId)
        const before = await require(accountId, id)
        if (access !== undefined && (access === null) !== (before.application_id === null))
          throw invalid('access', 'access is for keys that open a repository alone.')
        await store.updateSshKey(id, {
          ...(access === undefined ? {} : { access }),
          ...(name === undefined ? {} : { name }),
          ...(expiresAt === undefined ? {} : { expires_at: expiresAt }),
        })
        try {
          if (expiresAt !== undefined || access !== undefined) await tell(account)
        } catch (error) {
          const { name: was, expires_at, access: did } = before
          await store.updateSshKey(id, { name: was, expires_at, access: did })
          throw error
        }
        return require(accountId, id)
      }),
    removeKey: (accountId, id) =>
      inTurn(accountId, async () => {
        const account = await requireSettledAccount(store, accountId)
        const key = await require(accountId, id)
        // First where it counts: what breaks off here leaves a key in the list that opens nothing.
        await tell(account, { key: id })
        await store.deleteSshKey(id)
        await note('ssh_key.removed:done', account, key)
      }),
    async tellHost() {
      const able = new Set<number>()
      await eachHost({ host, log }, 'a host was not asked for SFTP', async (id, { sftp }) => {
        if ((await sftp.details()).available) able.add(id)
      })
      for (const account of (await store.listAccounts()).rows) {
        if (account.home === null || !able.has(account.host_id)) continue
        await inTurn(account.id, () => tell(account)).catch((error: unknown) =>
          log.error('the host could not be told what opens an account over SFTP', {
            username: account.username,
            error: String(error),
          }),
        )
      }
    },
  }
}
