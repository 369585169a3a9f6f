import type { ServiceDeps } from '../service-deps.ts'
import { DEAD_MS } from './duties.ts'

/** Ids of other instances of the panel that live; none where it shares its records with no other. */
export const otherInstances = async ({
  store,
  instance,
}: Pick<ServiceDeps, 'store' | 'instance'>): Promise<string[]> =>
  instance === undefined
    ? []
    : (await store.livingInstances(DEAD_MS)).filter((one) => one !== instance)
