import { deviceName } from '../../domain/access/device-name.ts'
import { timestamp, unixSecs } from '../../domain/text/timestamp.ts'
import { notFound } from '../../errors.ts'
import type { UserRef } from '../../ports/store/access-store.ts'
import type { Role } from '../../ports/store/records.ts'
import type { NamedSession } from '../../ports/store/session-store.ts'
import type { ListQuery, Page } from '../../ports/store/store.ts'
import type { NotificationLanguage } from '../../domain/notifications/texts/texts.ts'
import type { Notifications } from '../notifications/notifications.ts'
import type { ServiceDeps } from '../service-deps.ts'

/** Of one user at a time; the oldest ends where one more begins. */
const MOST_SESSIONS = 100

const MOST_USER_AGENT_CHARACTERS = 256

const SESSION_NOT_FOUND =
  'Session not found. It may have ended; list the sessions to see which ones stand.'

/** A session as the API shows it. */
interface SessionView {
  id: number
  role: Role
  owner: string
  account_id: number | null
  current: boolean
  acting_admin: string | null
  began_at: string
  seen_at: string
  expires_at: string
  address: string | null
  device: string | null
}

/** A session that begins. */
interface NewSession {
  user: UserRef
  jti: string
  issuedSecs: number
  expiresAtSecs: number
  /** The administrator's or reseller's session from which a visit to an account begins. */
  via: { role: UserRef['role']; adminId: number; jti: string } | null
  address: string
  userAgent: string
  /** Of the browser. */
  language: NotificationLanguage | null
}

/** Who looks at sessions. */
interface Viewer {
  /** `jti` of the session looked from; empty for none. */
  jti: string
  role: Role
}

/** The sessions of the panel: who is logged in, from where, with what. */
export interface Sessions {
  /** Notes a session. One that is taken up again stays as it was. */
  begin(session: NewSession): Promise<void>
  /** Those of `owner` that stand; null: everybody's. Of visits an account sees who, not from where. */
  list(owner: UserRef | null, viewer: Viewer, query: ListQuery): Promise<Page<SessionView>>
  /**
   * In force with the next request, open streams and visits from it included. Throws 404,
   * also for one that has ended, or is not `owner`'s; null: anybody's.
   */
  end(id: number, owner: UserRef | null): Promise<void>
  /** Ends all of a user but the one with `keptJti`; how many. */
  endOthers(user: UserRef, keptJti: string): Promise<number>
}

const view = (row: NamedSession, viewer: Viewer): SessionView => {
  const hidden = row.via_admin_id !== null && viewer.role !== 'admin'
  return {
    id: row.id,
    role: row.role === 'person' ? 'account' : row.role,
    owner: row.owner,
    account_id: row.role === 'account' ? row.owner_id : row.account_id,
    current: row.jti === viewer.jti,
    acting_admin: row.acting_admin,
    began_at: row.began_at,
    seen_at: row.seen_at,
    expires_at: timestamp(row.expires_at_secs * 1000),
    address: hidden ? null : row.address,
    device: hidden || row.user_agent === '' ? null : deviceName(row.user_agent),
  }
}

export const createSessions = (
  { store, clock }: Pick<ServiceDeps, 'store' | 'clock'>,
  notifications: Pick<Notifications, 'loggedIn'>,
): Sessions => {
  const nowSecs = (): number => unixSecs(clock.nowMs())
  const require = async (id: number): Promise<NamedSession> => {
    const row = await store.sessionById(id, nowSecs())
    if (row === null) throw notFound(SESSION_NOT_FOUND)
    return row
  }
  return {
    async begin({ user, jti, issuedSecs, expiresAtSecs, via, address, userAgent, language }) {
      const now = timestamp(clock.nowMs())
      await store.insertSession(
        {
          jti,
          role: user.role,
          owner_id: user.id,
          account_id: user.role === 'person' ? (user.accountId ?? null) : null,
          via_admin_id: via?.adminId ?? null,
          via_role: via?.role === 'reseller' ? 'reseller' : null,
          via_jti: via?.jti ?? null,
          issued_secs: issuedSecs,
          expires_at_secs: expiresAtSecs,
          began_at: now,
          seen_at: now,
          address,
          user_agent: userAgent.slice(0, MOST_USER_AGENT_CHARACTERS),
        },
        MOST_SESSIONS,
      )
      // Where an administrator visits from is not the account's to know.
      if (via === null) await notifications.loggedIn(user, { address, userAgent, language })
    },
    async list(owner, viewer, query) {
      const { rows, total } = await store.listSessions(owner, nowSecs(), query)
      return { rows: rows.map((row) => view(row, viewer)), total }
    },
    async end(id, owner) {
      const { role, owner_id, jti, expires_at_secs } = await require(id)
      if (owner !== null && (owner.role !== role || owner.id !== owner_id))
        throw notFound(SESSION_NOT_FOUND)
      await store.revokeToken(jti, expires_at_secs)
    },
    endOthers: (user, keptJti) => store.revokeOtherSessions(user, keptJti),
  }
}
