import type { LookupAddress } from 'node:dns'
import { targetFailure } from '../../backups/remote/target-failure.ts'
import { checkHostReach, lookupWithin } from '../../backups/remote/target-reach.ts'
import type { Reach } from '../../backups/remote/target-reach.ts'

/** An address of a target's host; 503 where it is one that the target may not have. */
export const checkTarget = (name: string, host: string, reach: Reach): Promise<string> =>
  new Promise((resolve, reject) => {
    const failed = (error: unknown): void => {
      reject(targetFailure(name, error))
    }
    const bare = host.replace(/^\[|\]$/g, '')
    try {
      checkHostReach(bare, reach)
    } catch (error) {
      return failed(error)
    }
    lookupWithin(reach)(bare, { all: true }, (error, addresses) => {
      if (error) return failed(error)
      const [first] = addresses as LookupAddress[]
      if (first === undefined) return failed(new Error('its name has no address'))
      resolve(first.address)
    })
  })
