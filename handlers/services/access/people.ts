import { unixSecs } from '../../domain/text/timestamp.ts'
import { conflict, notFound } from '../../errors.ts'
import type { Member, Membership, PersonRow } from '../../ports/store/people-store.ts'
import type { MemberRole } from '../../ports/store/records.ts'
import type { ListQuery, Page } from '../../ports/store/store.ts'
import { requireAccount } from '../records/lookup.ts'
import { nextNotBefore } from '../records/not-before.ts'
import type { ServiceDeps } from '../service-deps.ts'
import { loginUserById, type LoggedIn } from './login-user.ts'

const MEMBER_NOT_FOUND =
  'This person does not belong to the account. List its people to see who does.'
const PERSON_NOT_FOUND = 'Person not found. List the people to see which ids exist.'
const MEMBERSHIP_NOT_FOUND =
  'You do not belong to such an account. List your accounts to see which there are.'

/** A person of an account as the API shows it. */
interface MemberView {
  id: number
  email: string
  name: string
  role: MemberRole
  second_factor: boolean
  seen_at: string | null
  created_at: string
}

/** A person with all its accounts, for administrators. */
interface PersonView {
  id: number
  email: string
  name: string
  second_factor: boolean
  accounts: { account_id: number; username: string; role: MemberRole }[]
  created_at: string
}

/** Persons who work in accounts beside the accounts' own logins. */
export interface People {
  /** By address unless the query says otherwise. Throws 404. */
  list(accountId: number, query: ListQuery): Promise<Page<MemberView>>
  /** In force at once: sessions and tokens of the person in the account end. Throws 404. */
  setRole(accountId: number, personId: number, role: MemberRole): Promise<MemberView>
  /** As `setRole`; a person that belongs to no other account goes. Throws 404. */
  remove(accountId: number, personId: number): Promise<{ person_gone: boolean }>
  /** The accounts that a person belongs to, by name. */
  accountsOf(personId: number): Promise<Membership[]>
  /** Who a person is at work in another of its accounts. Throws 404, 409 not active. */
  enter(personId: number, accountId: number): Promise<LoggedIn>
  /** As `remove`, by the person itself. Throws 404. */
  leave(personId: number, accountId: number): Promise<void>
  /** Everybody's, by address. */
  listAll(query: ListQuery): Promise<Page<PersonView>>
  /** For who lost device and recovery codes. Throws 404. */
  removeSecondFactor(personId: number): Promise<PersonView>
  /** From every account, with all its ways in. Throws 404. */
  delete(personId: number): Promise<void>
}

const memberView = (row: Member): MemberView => ({
  id: row.person_id,
  email: row.email,
  name: row.name,
  role: row.role,
  second_factor: row.second_factor,
  seen_at: row.seen_at,
  created_at: row.created_at,
})

export const createPeople = ({
  store,
  clock,
  log,
}: Pick<ServiceDeps, 'store' | 'clock' | 'log'>): People => {
  const requireMember = async (accountId: number, personId: number): Promise<Member> => {
    const row = await store.memberOf(accountId, personId)
    if (row === null) throw notFound(MEMBER_NOT_FOUND)
    return row
  }
  type Listed = PersonRow & { second_factor: boolean }
  const personViews = async (rows: readonly Listed[]): Promise<PersonView[]> => {
    const all = await store.membershipsOfAll(rows.map(({ id }) => id))
    const ofPerson = Map.groupBy(all, ({ person_id }) => person_id)
    return rows.map((row) => ({
      id: row.id,
      email: row.email,
      name: row.name,
      second_factor: row.second_factor,
      accounts: (ofPerson.get(row.id) ?? []).map(({ account_id, username, role }) => ({
        ...{ account_id, username, role },
      })),
      created_at: row.created_at,
    }))
  }
  const requirePerson = async (id: number): Promise<PersonRow> => {
    const row = await store.personById(id)
    if (row === null) throw notFound(PERSON_NOT_FOUND)
    return row
  }

  return {
    async list(accountId, query) {
      await requireAccount(store, accountId)
      const { rows, total } = await store.listMembers(accountId, query)
      return { rows: rows.map(memberView), total }
    },
    async setRole(accountId, personId, role) {
      const before = await requireMember(accountId, personId)
      if (before.role !== role) {
        const notBeforeSecs = nextNotBefore(before, unixSecs(clock.nowMs()))
        await store.updateMember(accountId, personId, { role, notBeforeSecs })
      }
      return memberView(await requireMember(accountId, personId))
    },
    async remove(accountId, personId) {
      const { email } = await requireMember(accountId, personId)
      if (!(await store.removeMember(accountId, personId))) throw notFound(MEMBER_NOT_FOUND)
      log.info('person removed from an account', { email, account_id: accountId })
      return { person_gone: (await store.personById(personId)) === null }
    },
    accountsOf: (personId) => store.membershipsOf(personId),
    async enter(personId, accountId) {
      const user = await loginUserById(store, { role: 'person', id: personId, accountId })
      if (user === null) {
        const all = await store.membershipsOf(personId)
        const one = all.find(({ account_id }) => account_id === accountId)
        if (one === undefined) throw notFound(MEMBERSHIP_NOT_FOUND)
        throw conflict(`Account ${one.username} is ${one.status}. Ask the administrator.`)
      }
      await store.setLastAccount(personId, accountId)
      const { passwordHash: _, ...known } = user
      return known
    },
    async leave(personId, accountId) {
      if (!(await store.removeMember(accountId, personId))) throw notFound(MEMBERSHIP_NOT_FOUND)
    },
    async listAll(query) {
      const { rows, total } = await store.listPersons(query)
      return { rows: await personViews(rows), total }
    },
    async removeSecondFactor(personId) {
      const row = await requirePerson(personId)
      await store.deleteSecondFactor({ role: 'person', id: personId })
      const [view] = await personViews([{ ...row, second_factor: false }])
      if (view === undefined) throw notFound(PERSON_NOT_FOUND)
      return view
    },
    async delete(personId) {
      const { email } = await requirePerson(personId)
      await store.deletePerson(personId)
      log.info('person deleted', { email })
    },
  }
}
