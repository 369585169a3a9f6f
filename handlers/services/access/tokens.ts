import { newApiToken } from '../../domain/access/api-token.ts'
import { planLimitReached } from '../../domain/accounts/plan.ts'
import { secretHash } from '../../domain/access/secret-hash.ts'
import { timestamp } from '../../domain/text/timestamp.ts'
import { conflict, invalid, notFound, unauthenticated } from '../../errors.ts'
import type { OwnedToken, UserRef } from '../../ports/store/access-store.ts'
import type { Role, TokenScope } from '../../ports/store/records.ts'
import type { ListQuery, Page } from '../../ports/store/store.ts'
import { loginUserById } from './login-user.ts'
import { planOf, requireActiveAccount } from '../records/lookup.ts'
import type { Notify } from '../notify/notify.ts'
import type { ServiceDeps } from '../service-deps.ts'

/** Of anybody, also where an administrator makes them for an account. */
const MAX_TOKENS_OF_ONE = 100

const TOKEN_NOT_FOUND = 'API token not found. List the tokens to see which ids exist.'

/** An API token as the API shows it; never the token itself. */
interface TokenView {
  id: number
  name: string
  role: Role
  owner: string
  account_id: number | null
  scopes: TokenScope[]
  expires_at: string | null
  last_used_at: string | null
  created_at: string
}

/** API tokens: for programs that act as a user, within scopes. */
export interface Tokens {
  /** Those of `owner`; null: everybody's. */
  list(owner: UserRef | null, query: ListQuery): Promise<Page<TokenView>>
  /**
   * 400 for an expiry that has passed, 403 at the limit of the account's plan, 409 for a
   * name that the owner uses already, or too many tokens.
   */
  create(input: {
    owner: UserRef
    name: string
    scopes: readonly TokenScope[]
    expiresAt: string | null
    /** Asked once it is known what the owner is now: throws where the maker has lost the right. */
    stillAllowed: () => Promise<void>
    /** Whether an administrator asks, who may exceed the plan. */
    byAdministrator: boolean
  }): Promise<TokenView & { token: string }>
  /** In force with the next request. Throws 404, also where it is not `owner`'s; null: anybody's. */
  remove(id: number, owner: UserRef | null): Promise<void>
}

const view = (row: OwnedToken): TokenView => ({
  id: row.id,
  name: row.name,
  role: row.role === 'person' ? 'account' : row.role,
  owner: row.owner,
  account_id: row.role === 'account' ? row.owner_id : row.account_id,
  scopes: row.scopes,
  expires_at: row.expires_at,
  last_used_at: row.last_used_at,
  created_at: row.created_at,
})

export const createTokens = ({
  store,
  clock,
  notify,
}: Pick<ServiceDeps, 'store' | 'clock'> & { notify: Pick<Notify, 'tell'> }): Tokens => ({
  async list(owner, query) {
    const { rows, total } = await store.listTokens(owner, query)
    return { rows: rows.map(view), total }
  },
  async create({ owner, name, scopes, expiresAt, byAdministrator, stillAllowed }) {
    const now = timestamp(clock.nowMs())
    if (expiresAt !== null && expiresAt <= now) {
      throw invalid('expires_at', 'expires_at has passed already. Give a later time, in UTC.')
    }
    const accountId = owner.role === 'account' ? owner.id : (owner.accountId ?? null)
    const account = accountId === null ? null : await requireActiveAccount(store, accountId)
    const planLimit =
      account === null || byAdministrator ? null : (await planOf(store, account)).tokens_limit
    const user = await loginUserById(store, owner)
    if (user === null) throw unauthenticated()
    await stillAllowed()
    const token = newApiToken()
    const row = await store.insertToken(
      {
        name,
        token_hash: await secretHash(token),
        role: owner.role,
        owner_id: owner.id,
        account_id: owner.role === 'person' ? accountId : null,
        scopes: [...new Set(scopes)],
        expires_at: expiresAt,
        created_at: now,
      },
      Math.min(planLimit ?? MAX_TOKENS_OF_ONE, MAX_TOKENS_OF_ONE),
      user.notBeforeSecs,
    )
    if (row === 'owner-changed') {
      throw conflict('The user was changed meanwhile, so there is no token. Try again.')
    }
    if (row === 'duplicate') {
      throw conflict(`name ${name} is taken by another token of the same user.`, 'name')
    }
    if (row === 'limit') {
      if (account !== null && planLimit !== null && planLimit <= MAX_TOKENS_OF_ONE) {
        throw planLimitReached(account, 'API tokens', planLimit, planLimit)
      }
      throw conflict(`There are ${MAX_TOKENS_OF_ONE} tokens already. Delete one that is not used.`)
    }
    await notify.tell(owner, 'security.token_made', { name, at: now })
    return { ...view(row), token }
  },
  async remove(id, owner) {
    const row = await store.tokenById(id)
    const isTheirs = owner === null || (owner.role === row?.role && owner.id === row.owner_id)
    if (row === null || !isTheirs) throw notFound(TOKEN_NOT_FOUND)
    await store.deleteToken(id)
  },
})
