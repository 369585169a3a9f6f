import type {
  CeremonyOptions,
  MadePasskey,
  RelyingParty,
  UsedPasskey,
} from '../../domain/access/passkey.ts'
import { checkMade, checkUsed, makingOptions, usingOptions } from '../../domain/access/passkey.ts'
import { randomSecret } from '../../domain/access/random-secret.ts'
import { timestamp } from '../../domain/text/timestamp.ts'
import { conflict, invalid, notFound, unauthenticated } from '../../errors.ts'
import type { UserRef } from '../../ports/store/access-store.ts'
import type { PasskeyRow } from '../../ports/store/records.ts'
import type { LoginAttempts } from './login-attempts.ts'
import type { LoggedIn } from './login-user.ts'
import { loginUserById } from './login-user.ts'
import type { Notify } from '../notify/notify.ts'
import type { ServiceDeps } from '../service-deps.ts'

const MAX_PASSKEYS_OF_ONE = 20

/** Failures with passkeys are counted for the address alone: nobody is named. No user has this name. */
const NOBODY = '\npasskey'

export const PASSKEY_NOT_FOUND = 'Passkey not found. List the passkeys to see which ids exist.'
/** A challenge that has expired or was used. */
export const LOGIN_TOO_LATE = 'This login took too long or was answered already. Try again.'
const REFUSED =
  'This passkey does not let anybody in here. It may have been removed; log in with the password.'

/** A passkey as the API shows it. */
interface PasskeyView {
  id: number
  name: string
  party: string
  created_at: string
  last_used_at: string | null
}

/** Passkeys: ways in that stand in for password and second factor at once. */
export interface Passkeys {
  /** Oldest first. */
  list(user: UserRef): Promise<PasskeyView[]>
  /** What the user's browser needs to make one, and the challenge in it. */
  begin(
    user: UserRef & { username: string },
    party: RelyingParty,
  ): Promise<{ options: CeremonyOptions; challenge: string }>
  /** 400 when what the browser answered is wrong, 409: name taken, device known, 20 already, user changed meanwhile. */
  add(
    user: UserRef,
    made: { name: string; party: RelyingParty; challenge: string; passkey: MadePasskey },
    stillAllowed: () => Promise<void>,
  ): Promise<PasskeyView>
  /** Throws 404. */
  remove(user: UserRef, id: number): Promise<void>
  /** What a browser needs to use one, whosever it is. */
  beginLogin(party: RelyingParty): Promise<{ options: CeremonyOptions; challenge: string }>
  /**
   * 401 with one text for everything that is wrong, 429 after failures as at a login. `spend`
   * uses the challenge up: false, and 401, where it was. It writes, so a flood must not get there.
   */
  login(input: {
    party: RelyingParty
    challenge: string
    spend: () => Promise<boolean>
    passkey: UsedPasskey
    address: string
  }): Promise<LoggedIn>
}

const view = ({ id, name, party, created_at, last_used_at }: PasskeyRow): PasskeyView => ({
  id,
  name,
  party,
  created_at,
  last_used_at,
})

const keyOf = (row: PasskeyRow) => ({
  credentialId: row.credential_id,
  publicKey: row.public_key,
  counter: row.counter,
  transports: row.transports,
})

/** What the device keeps with the passkey, to say whose it is. */
const handleOf = ({ role, id }: UserRef): string => `${role}:${id}`

export const createPasskeys = (
  {
    store,
    clock,
    log,
    notify,
  }: Pick<ServiceDeps, 'store' | 'clock' | 'log'> & { notify: Pick<Notify, 'tell'> },
  attempts: LoginAttempts,
): Passkeys => ({
  list: async (user) => (await store.listPasskeys(user)).map(view),
  async begin(user, party) {
    const challenge = randomSecret()
    const rows = await store.listPasskeys(user)
    if (rows.length >= MAX_PASSKEYS_OF_ONE) {
      throw conflict(`There are ${MAX_PASSKEYS_OF_ONE} passkeys already. Remove one first.`)
    }
    const named = { handle: handleOf(user), name: user.username }
    const options = await makingOptions(party, named, challenge, rows.map(keyOf))
    return { options, challenge }
  },
  async add(user, { name, party, challenge, passkey }, stillAllowed) {
    const key = await checkMade(party, challenge, passkey)
    if (key === null) {
      throw invalid(
        'credential',
        'credential is not what was asked for: it must be made by this page, on a device that checks who uses it. Try again.',
      )
    }
    const owner = await loginUserById(store, user)
    if (owner === null) throw unauthenticated()
    await stillAllowed()
    const row = await store.insertPasskey(
      {
        role: user.role,
        owner_id: user.id,
        name,
        credential_id: key.credentialId,
        public_key: key.publicKey,
        counter: key.counter,
        transports: key.transports,
        party: party.id,
        created_at: timestamp(clock.nowMs()),
      },
      MAX_PASSKEYS_OF_ONE,
      owner.ownNotBeforeSecs,
    )
    if (row === 'owner-changed') {
      throw conflict('The user was changed meanwhile, so there is no passkey. Try again.')
    }
    if (row === 'duplicate') throw conflict(`name ${name} is taken by another passkey.`, 'name')
    if (row === 'known') throw conflict('This device has a passkey here already.', 'credential')
    if (row === 'limit') {
      throw conflict(`There are ${MAX_PASSKEYS_OF_ONE} passkeys already. Remove one first.`)
    }
    await notify.tell(user, 'security.passkey_added', { name, at: timestamp(clock.nowMs()) })
    return view(row)
  },
  async remove(user, id) {
    if (!(await store.deletePasskey(user, id))) throw notFound(PASSKEY_NOT_FOUND)
  },
  async beginLogin(party) {
    const challenge = randomSecret()
    return { options: await usingOptions(party, challenge), challenge }
  },
  login: ({ party, challenge, spend, passkey, address }) =>
    attempts.run({ username: NOBODY, address }, async (attempt) => {
      if (!(await spend())) {
        await attempt.failed()
        throw unauthenticated(LOGIN_TOO_LATE)
      }
      const row = await store.passkeyByCredential(passkey.id)
      const used =
        row === null || row.party !== party.id
          ? null
          : await checkUsed(party, challenge, passkey, keyOf(row))
      const user =
        row === null || used === null
          ? null
          : await loginUserById(store, { role: row.role, id: row.owner_id })
      const now = timestamp(clock.nowMs())
      if (
        row === null ||
        used === null ||
        user === null ||
        !(await store.usePasskey(row.id, used.counter, now))
      ) {
        await attempt.failed()
        log.warn('login failed', {
          username: user?.username ?? 'unknown',
          address,
          because: 'passkey',
        })
        throw unauthenticated(REFUSED)
      }
      await attempt.succeeded()
      const { passwordHash: _, ...known } = user
      return known
    }),
})
