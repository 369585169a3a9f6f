import { eachHost } from '../on-hosts/each-host.ts'
import { LOCAL_HOST } from '../../ports/store/host-store.ts'
import type { HostPorts } from '../../ports/host/host.ts'
import { timestamp } from '../../domain/text/timestamp.ts'
import type { ListedSftpLogin } from '../../ports/store/sftp/sftp-login-store.ts'
import type { ListQuery, Page } from '../../ports/store/store.ts'
import { createKeyedLock } from '../journal/keyed-lock.ts'
import { requireAccount } from '../records/lookup.ts'
import type { ServiceDeps } from '../service-deps.ts'

/** Who logged in over SFTP and SSH, or tried to. */
export interface SftpLogins {
  /** Of one account, or of all, as they are this moment. 404 for an account that is not there. */
  list(accountId: number | null, query: ListQuery): Promise<Page<ListedSftpLogin>>
  /** Takes over what the host saw since. */
  collect(): Promise<void>
}

type Deps = Pick<ServiceDeps, 'store' | 'host' | 'clock' | 'log' | 'judges'>

const PER_ACCOUNT = 200
const KEPT_DAYS = 90
const DAY_MS = 86_400_000
/** The host answers so many at once. */
const MOST_ROUNDS = 20
/** A statement each, in batches that every store takes. */
const AT_ONCE = 40

/** The host's journal of log-ins, taken over into the store with the names that keys have. */
export const createSftpLogins = ({ store, host, clock, log, judges }: Deps): SftpLogins => {
  const lock = createKeyedLock(judges)

  const takeFrom = async (hostId: number, { sftp }: HostPorts): Promise<void> => {
    const since = timestamp(clock.nowMs() - KEPT_DAYS * DAY_MS)
    let after = await store.lastSftpLoginVersion(hostId)
    for (let round = 0; round < MOST_ROUNDS; round += 1) {
      const seen = await sftp.seenLogins({ after })
      const last = seen.at(-1)
      if (last === undefined) return
      after = last.version
      for (let at = 0; at < seen.length; at += AT_ONCE) {
        const rows = await Promise.all(
          seen.slice(at, at + AT_ONCE).map(async (login) => {
            const account = await store.accountByName(login.account)
            // A host tells of its own accounts alone.
            if (account?.host_id !== hostId) return null
            const key = login.keyId === null ? null : await store.sshKey(login.keyId)
            const own = key?.account_id === account.id ? key : null
            return {
              account_id: account.id,
              host_id: hostId === LOCAL_HOST ? login.id : `${hostId}/${login.id}`,
              version: login.version,
              login: login.username,
              began_at: login.beganAt,
              ended_at: login.endedAt,
              address: login.address,
              way: login.way,
              kind: login.kind,
              failures: login.failures,
              key_id: own?.id ?? null,
              key_name: own?.name ?? null,
              fingerprint: own?.fingerprint ?? null,
              changes: login.changes,
              received_bytes: login.receivedBytes,
              sent_bytes: login.sentBytes,
            }
          }),
        )
        const known = rows.filter((row) => row !== null)
        await store.recordSftpLogins(known, { perAccount: PER_ACCOUNT, since })
      }
    }
  }
  const takeOver = (): Promise<void> =>
    eachHost({ host, log }, 'the log-ins of a host were not taken over', takeFrom)
  const collect = (): Promise<void> => lock.run('all', takeOver)

  return {
    collect,
    async list(accountId, query) {
      if (accountId !== null) await requireAccount(store, accountId)
      await collect().catch((error: unknown) =>
        log.warn('the host does not tell who logged in', { error: String(error) }),
      )
      return store.listSftpLogins(accountId === null ? query : { ...query, accountId })
    },
  }
}
