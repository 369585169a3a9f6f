import type { LookupAddress } from 'node:dns'
import { unavailable } from '#handlers/errors.ts'
import { checkHostReach, lookupWithin } from '../../backups/remote/target-reach.ts'
import type { Reach } from '../../backups/remote/target-reach.ts'

/** An address of a target's host; 503 where it is one that the target may not have. */
export const checkTarget = (name: string, host: string, reach: Reach): Promise<string> =>
  new Promise((resolve, reject) => {
    const failed = (error: unknown): void => {
      const why = error instanceof Error ? error.message : String(error)
      reject(unavailable(`The backup target "${name}" failed: ${why}.`, error))
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
      if (first === undefined) return failed(new Error(`${bare} has no address`))
      resolve(first.address)
    })
  })
