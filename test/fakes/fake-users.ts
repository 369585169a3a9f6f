import { conflict, notFound } from '#handlers/errors.ts'
import type { OsUser, UsersPort } from '#handlers/ports/host/users.ts'
import type { FakeOperations } from './operations.ts'

export interface FakeUser extends OsUser {
  suspended: boolean
  password: string
  diskQuotaMb: number
  /** Null until they are set. */
  limits: { processes: number; memoryMb: number } | null
  /** What `diskUsedMb` answers. */
  usedMb: number
}

export interface FakeUsers extends UsersPort {
  /** Users by name, for assertions. */
  made: Map<string, FakeUser>
}

/** OS users that exist without us. */
const SYSTEM_NAMES = new Set(['root', 'mysql', 'www-data', 'wwwdata', 'sambashare', 'osuser'])

export const createFakeUsers = (
  operations: FakeOperations,
  homeBase: string,
  onCreate: (user: FakeUser, primaryDomain: string) => void,
  onRemove: (username: string) => void,
): FakeUsers => {
  const made = new Map<string, FakeUser>()
  let nextUid = 20_000
  const require = (username: string): FakeUser => {
    const user = made.get(username)
    if (user === undefined) throw notFound(`User ${username} does not exist.`)
    return user
  }
  const setSuspended = (username: string, suspended: boolean): void => {
    require(username).suspended = suspended
  }
  return {
    made,
    async create({ operationId, username, password, primaryDomain, diskQuotaMb }) {
      return operations.run(operationId, 'users.create', username, () => {
        if (SYSTEM_NAMES.has(username) || made.has(username)) {
          throw conflict(`username ${username} exists on this system already.`, 'username')
        }
        const uid = nextUid++
        const home = `${homeBase}/${username}`
        const user = {
          username,
          uid,
          gid: uid,
          home,
          suspended: false,
          password,
          diskQuotaMb,
          limits: null,
          usedMb: 0,
        }
        made.set(username, user)
        onCreate(user, primaryDomain)
        return { username, uid, gid: uid, home }
      })
    },
    async remove({ operationId, username }) {
      operations.run(operationId, 'users.remove', username, () => {
        if (SYSTEM_NAMES.has(username)) throw conflict(`User ${username} was not made by us.`)
        if (made.delete(username)) onRemove(username)
        return null
      })
    },
    async suspend({ operationId, username }) {
      operations.run(operationId, 'users.suspend', username, () => setSuspended(username, true))
    },
    async unsuspend({ operationId, username }) {
      operations.run(operationId, 'users.unsuspend', username, () => setSuspended(username, false))
    },
    async setPassword({ operationId, username, password }) {
      operations.run(operationId, 'users.setPassword', username, () => {
        require(username).password = password
      })
    },
    async setDiskQuota({ operationId, username, diskQuotaMb }) {
      operations.run(operationId, 'users.setDiskQuota', username, () => {
        require(username).diskQuotaMb = diskQuotaMb
      })
    },
    async setLimits({ operationId, username, ...limits }) {
      operations.run(operationId, 'users.setLimits', username, () => {
        require(username).limits = limits
      })
    },
    async list() {
      return [...made.values()].map(({ username, uid, gid, home, suspended }) => ({
        username,
        uid,
        gid,
        home,
        suspended,
      }))
    },
    async diskUsedMb({ username }) {
      return require(username).usedMb
    },
    async operation({ operationId }) {
      return operations.state(operationId)
    },
  }
}
