import { LOCAL_HOST } from '../../../ports/store/host-store.ts'
import type { Found, Trouble } from '../../notify/notify.ts'

/** More of one machine would take the room of what is told of others. */
const MOST_OF_MACHINE = 40
const MOST_KEY_CHARS = 300

const bounded = (troubles: readonly Trouble[]): Trouble[] => {
  let machines = 0
  return troubles.filter(
    ({ key, accountId }) =>
      key.length <= MOST_KEY_CHARS && (accountId !== null || ++machines <= MOST_OF_MACHINE),
  )
}

/** The same, told of another machine by its name, and apart from what is told of all others. */
export const onHost = ({ scopes, troubles }: Found, hostId: number, name: string): Found => {
  if (hostId === LOCAL_HOST) return { scopes, troubles }
  const prefix = `host:${hostId}:`
  return {
    scopes: scopes.map((scope) => prefix + scope),
    troubles: bounded(troubles).map((trouble) => ({
      ...trouble,
      key: prefix + trouble.key,
      data: { ...trouble.data, host: name },
    })),
  }
}
