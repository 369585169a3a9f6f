import { timestamp, unixSecs } from '../../domain/text/timestamp.ts'
import { conflict, notFound } from '../../errors.ts'
import type { AdminRow } from '../../ports/store/records.ts'
import type { ListQuery, Page } from '../../ports/store/store.ts'
import { nextNotBefore } from '../records/not-before.ts'
import type { Notify } from '../notify/notify.ts'
import type { ServiceDeps } from '../service-deps.ts'

const USER_NOT_FOUND = 'User not found. List the users to see which ids exist.'

/** An administrator as the API shows it. */
interface UserView {
  id: number
  username: string
  role: 'admin'
  status: AdminRow['status']
  second_factor: boolean
  created_at: string
}

interface UserChange {
  username?: string | undefined
  password?: string | undefined
  status?: AdminRow['status'] | undefined
  /** Takes the second factor off. */
  secondFactor?: false | undefined
}

/** Administrators. Users of role account are managed as hosting accounts. */
export interface Users {
  /** By id unless the query says otherwise. */
  list(query: ListQuery): Promise<Page<UserView>>
  /** Throws 404. */
  get(id: number): Promise<UserView>
  /** 409 when the name is taken. */
  create(input: { username: string; password: string }): Promise<UserView>
  /** 404, 409: name taken, last administrator, own password, lock or second factor. */
  update(id: number, change: UserChange, byId: number): Promise<UserView>
  /** 404, 409: oneself, the last administrator. */
  remove(id: number, byId: number): Promise<void>
}

const lastAdministrator = (verb: string) =>
  conflict(
    `This is the last administrator who can log in; it cannot be ${verb}. Create another first.`,
  )
const taken = (username: string) => conflict(`username ${username} is taken.`, 'username')

export const createUsers = (
  deps: Pick<ServiceDeps, 'store' | 'passwords' | 'clock' | 'log'> & {
    notify: Pick<Notify, 'tell'>
  },
): Users => {
  const { store, passwords, clock, log, notify } = deps

  const require = async (id: number): Promise<AdminRow> => {
    const row = await store.adminById(id)
    if (row === null) throw notFound(USER_NOT_FOUND)
    return row
  }
  const views = async (rows: readonly AdminRow[]): Promise<UserView[]> => {
    const ids = rows.map(({ id }) => id)
    const withFactor = await store.withSecondFactor('admin', ids)
    return rows.map((row) => ({
      id: row.id,
      username: row.username,
      role: 'admin',
      status: row.status,
      second_factor: withFactor.has(row.id),
      created_at: row.created_at,
    }))
  }
  const view = async (row: AdminRow): Promise<UserView> => {
    const [only] = await views([row])
    if (only === undefined) throw notFound(USER_NOT_FOUND)
    return only
  }

  return {
    async list(query) {
      const { rows, total } = await store.listAdmins(query)
      return { rows: await views(rows), total }
    },
    get: async (id) => view(await require(id)),
    async create({ username, password }) {
      const row = await store.insertAdmin({
        username,
        password_hash: await passwords.hash(password),
        status: 'active',
        not_before_secs: 0,
        created_at: timestamp(clock.nowMs()),
      })
      if (row === 'duplicate') throw taken(username)
      log.info('administrator created', { username })
      return view(row)
    },
    async update(id, { username, password, status, secondFactor }, byId) {
      const row = await require(id)
      if (id === byId && password !== undefined) {
        throw conflict(
          'Change your own password with POST /api/auth/password, which asks for the old one.',
          'password',
        )
      }
      if (id === byId && status === 'locked')
        throw conflict('Nobody can lock themselves.', 'status')
      if (id === byId && secondFactor === false) {
        throw conflict(
          'Take your own second factor off with DELETE /api/auth/totp, which asks for a code.',
          'second_factor',
        )
      }
      const closes = password !== undefined || (status === 'locked' && row.status !== 'locked')
      const outcome = await store.updateAdmin(
        id,
        {
          ...(username === undefined ? {} : { username }),
          ...(password === undefined ? {} : { password_hash: await passwords.hash(password) }),
          ...(status === undefined ? {} : { status }),
          ...(closes ? { not_before_secs: nextNotBefore(row, unixSecs(clock.nowMs())) } : {}),
        },
        { endTokens: closes },
      )
      if (outcome === 'duplicate') throw taken(username ?? '')
      if (outcome === 'last') throw lastAdministrator('locked')
      if (password !== undefined) await store.deletePasskeys({ role: 'admin', id })
      const user = { role: 'admin', id } as const
      const at = timestamp(clock.nowMs())
      if (password !== undefined) await notify.tell(user, 'security.password_set', { at })
      if (secondFactor === false && (await store.secondFactor(user))?.confirmed === true)
        await notify.tell(user, 'security.second_factor_taken', { at })
      if (secondFactor === false) await store.deleteSecondFactor(user)
      return view(await require(id))
    },
    async remove(id, byId) {
      const { username } = await require(id)
      if (id === byId)
        throw conflict('Nobody can delete themselves. Let another administrator do it.')
      if ((await store.deleteAdmin(id)) === 'last') throw lastAdministrator('deleted')
      log.info('administrator deleted', { username })
    },
  }
}
