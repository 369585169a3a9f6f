import type { PurgeScope } from '#edge-cache/index.ts'

/** Makes a purge hold elsewhere too, or keeps it until it does. */
export type Share = (scopes: readonly PurgeScope[]) => Promise<'shared' | 'kept'>

/** Tells all that there are; what one keeps is kept. Nothing where there are none. */
export const sharing = (all: readonly (Share | undefined)[]): { share?: Share } => {
  const shares = all.filter((one) => one !== undefined)
  if (shares.length === 0) return {}
  return {
    share: async (scopes) => {
      const how = await Promise.all(shares.map((share) => share(scopes)))
      return how.includes('kept') ? 'kept' : 'shared'
    },
  }
}
