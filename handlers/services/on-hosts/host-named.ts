import { invalid } from '../../errors.ts'
import { LOCAL_HOST } from '../../ports/store/host-store.ts'
import type { ServiceDeps } from '../service-deps.ts'

/** Id of the machine of that name; of the panel's own where none is named. 400 for a name that is none. */
export const hostNamed = async (
  { store }: Pick<ServiceDeps, 'store'>,
  name: string | undefined,
): Promise<number> => {
  if (name === undefined) return LOCAL_HOST
  const found = await store.hostByName(name)
  if (found !== null) return found.id
  throw invalid('host', `There is no host "${name}". List the hosts to see which there are.`)
}
