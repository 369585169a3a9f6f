import { randomSecret } from '../../domain/access/random-secret.ts'
import { secretHash } from '../../domain/access/secret-hash.ts'
import { planLimitReached } from '../../domain/accounts/plan.ts'
import type { NotificationLanguage } from '../../domain/notifications/texts/texts.ts'
import { timestamp, unixSecs } from '../../domain/text/timestamp.ts'
import { conflict, notFound } from '../../errors.ts'
import type { InvitationRow, StandingInvitation } from '../../ports/store/people-store.ts'
import type { MemberRole } from '../../ports/store/records.ts'
import { planOf, requireAccount, requireActiveAccount } from '../records/lookup.ts'
import { nextNotBefore } from '../records/not-before.ts'
import type { ServiceDeps } from '../service-deps.ts'
import { createInvitationMails } from './invitation-mails.ts'
import type { LoginAttempt, LoginAttempts } from './login-attempts.ts'
import { loginUserById, type LoggedIn } from './login-user.ts'

const LIFETIME_MS = 7 * 24 * 3_600_000

/** Failures with links are counted for the address alone. No user has this name. */
const NOBODY = '\ninvitation'

const INVITATION_NOT_FOUND = 'Invitation not found. It was answered, revoked, or has expired.'
/** One text for whatever is wrong with a link: who guesses learns nothing. */
const LINK_IS_OVER =
  'This invitation does not stand any more: it was used, revoked, or has expired. Ask for a new one.'

/** An invitation as those who may revoke it see it. */
interface InvitationView {
  id: number
  email: string
  role: MemberRole
  invited_by: string
  created_at: string
  expires_at: string
}

/** What an invitation says to whoever has its link. */
interface InvitationText {
  email: string
  role: MemberRole
  account: string
  primary_domain: string
  invited_by: string
  expires_at: string
}

/** Invitations to work in an account, answered through a link that counts once. */
export interface Invitations {
  /** Those that stand, newest first. Throws 404. */
  list(accountId: number): Promise<InvitationView[]>
  /**
   * A link's secret for an address; an earlier one of the address ends. 403 at the limit of
   * the plan, 409: the address belongs to a person of the account, or it is not active.
   */
  create(input: {
    accountId: number
    email: string
    role: MemberRole
    invitedBy: string
    /** An administrator may exceed the plan. */
    byAdministrator: boolean
    /** Of who invites. */
    language: NotificationLanguage
    /** Throws where who invites has lost the right. */
    stillAllowed: () => Promise<void>
  }): Promise<InvitationView & { token: string; mailed: boolean }>
  /** Its link leads nowhere any more. Throws 404. */
  revoke(accountId: number, id: number): Promise<void>
  /** 404 unless it stands; 429 after failures, as at a login. */
  look(token: string, address: string): Promise<InvitationText>
  /** Makes the person with this password. 404 and 429 as `look`, 409 where somebody has the address already. */
  acceptAsNew(input: {
    token: string
    name: string
    password: string
    address: string
  }): Promise<LoggedIn>
  /** Lets a person who is logged in into the account too. 404 and 429 as `look`, 409 where it belongs there. */
  acceptAs(input: { token: string; personId: number; address: string }): Promise<LoggedIn>
}

const view = (row: InvitationRow): InvitationView => ({
  id: row.id,
  email: row.email,
  role: row.role,
  invited_by: row.invited_by,
  created_at: row.created_at,
  expires_at: row.expires_at,
})

export const createInvitations = (
  deps: Pick<ServiceDeps, 'store' | 'host' | 'clock' | 'passwords' | 'log' | 'panelUrl'>,
  attempts: LoginAttempts,
): Invitations => {
  const { store, clock, passwords, log } = deps
  const mails = createInvitationMails(deps)
  const now = (): string => timestamp(clock.nowMs())
  const fromNow = (): number => nextNotBefore({ not_before_secs: 0 }, unixSecs(clock.nowMs()))

  /**
   * Works with the invitation of a link; wrong ones count as failures of the address that
   * they come from. One at a time of an address, so that a flood makes no flood of hashes.
   */
  const withStanding = <T>(
    { token, address }: { token: string; address: string },
    work: (row: StandingInvitation, hash: string, attempt: LoginAttempt) => Promise<T>,
  ): Promise<T> =>
    attempts.run({ username: NOBODY, address }, async (attempt) => {
      const hash = await secretHash(token)
      const row = await store.invitationByHash(hash, now())
      if (row === null) {
        await attempt.failed()
        throw notFound(LINK_IS_OVER)
      }
      const done = await work(row, hash, attempt)
      await attempt.succeeded()
      return done
    })

  const arrived = async (personId: number, accountId: number): Promise<LoggedIn> => {
    const user = await loginUserById(store, { role: 'person', id: personId, accountId })
    if (user === null) throw notFound(LINK_IS_OVER)
    await store.setLastAccount(personId, accountId)
    const { passwordHash: _, ...known } = user
    return known
  }

  return {
    async list(accountId) {
      await requireAccount(store, accountId)
      return (await store.listInvitations(accountId, now())).map(view)
    },
    async create(input) {
      const { accountId, email, role, invitedBy, byAdministrator, language, stillAllowed } = input
      const account = await requireActiveAccount(store, accountId)
      const limit = byAdministrator ? null : (await planOf(store, account)).people_limit
      const token = randomSecret()
      const row = {
        account_id: accountId,
        email: email.toLowerCase(),
        role,
        token_hash: await secretHash(token),
        invited_by: invitedBy,
        created_at: now(),
        expires_at: timestamp(clock.nowMs() + LIFETIME_MS),
      }
      await stillAllowed()
      const made = await store.insertInvitation(row, limit, now())
      if (made === 'member') throw conflict(`${row.email} belongs to the account already.`, 'email')
      if (made === 'limit') {
        const { people } = await store.accountUsage(accountId)
        throw planLimitReached(account, 'people and invitations', people, limit ?? 0)
      }
      const { username, primary_domain } = account
      const mailed = await mails.send({ ...made, username, primary_domain }, token, language)
      return { ...view(made), token, mailed }
    },
    async revoke(accountId, id) {
      if (!(await store.deleteInvitation(accountId, id))) throw notFound(INVITATION_NOT_FOUND)
    },
    look: (token, address) =>
      withStanding({ token, address }, async (row) => ({
        email: row.email,
        role: row.role,
        account: row.username,
        primary_domain: row.primary_domain,
        invited_by: row.invited_by,
        expires_at: row.expires_at,
      })),
    acceptAsNew: ({ name, password, ...link }) =>
      withStanding(link, async (_, hash, attempt) => {
        const password_hash = await passwords.hash(password)
        const person = { name, password_hash, created_at: now() }
        const made = await store.acceptAsNew(hash, person, fromNow())
        if (made === 'gone') throw notFound(LINK_IS_OVER)
        if (made === 'taken') {
          // Who invites has the link, too: nobody shall find out by it who has a login, address after address.
          await attempt.failed()
          throw conflict(
            'No new login can be made for this invitation. If you have one, log in with it, and open the link once more.',
          )
        }
        log.info('person joined an account', { account_id: made.accountId })
        return arrived(made.personId, made.accountId)
      }),
    acceptAs: ({ personId, ...link }) =>
      withStanding(link, async (_, hash) => {
        const made = await store.acceptAs(hash, { id: personId }, now(), fromNow())
        if (made === 'gone') throw notFound(LINK_IS_OVER)
        if (made === 'member') throw conflict('You belong to this account already.')
        log.info('person joined an account', { account_id: made.accountId })
        return arrived(personId, made.accountId)
      }),
  }
}
