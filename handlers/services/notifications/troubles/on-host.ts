import { LOCAL_HOST } from '../../../ports/store/host-store.ts'
import type { Found } from '../../notify/notify.ts'

/** The same, told of another machine by its name, and apart from what is told of all others. */
export const onHost = ({ scopes, troubles }: Found, hostId: number, name: string): Found => {
  if (hostId === LOCAL_HOST) return { scopes, troubles }
  const prefix = `host:${hostId}:`
  return {
    scopes: scopes.map((scope) => prefix + scope),
    troubles: troubles.map((trouble) => ({
      ...trouble,
      key: prefix + trouble.key,
      data: { ...trouble.data, host: name },
    })),
  }
}
