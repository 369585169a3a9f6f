import { lookup as resolveName } from 'node:dns'
import type { LookupAddress } from 'node:dns'
import { isIP } from 'node:net'
import type { LookupFunction } from 'node:net'
import { isInternetAddress, isNearAddress } from '#handlers/domain/text/internet-address.ts'

/** An address that a target may not have. */
class RefusedAddressError extends Error {
  constructor(address: string) {
    super(
      `${address} is an address of this machine or of its link. If that is meant, set allow_private = true in the target's section`,
    )
    this.name = 'RefusedAddressError'
  }
}

/** Throws `RefusedAddressError` for addresses of this machine and its link. */
export const checkAddress = (address: string): void => {
  if (isNearAddress(address)) throw new RefusedAddressError(address)
}

/** Checks a host that is an address by itself; names are checked when they are resolved. */
export const checkHost = (host: string, allowPrivate: boolean): void => {
  const bare = host.replace(/^\[|\]$/g, '')
  if (!allowPrivate && isIP(bare) !== 0) checkAddress(bare)
}

/** Throws for addresses that do not lie in the internet. */
const checkPublicAddress = (address: string): void => {
  if (!isInternetAddress(address)) throw new RefusedAddressError(address)
}

/** As `checkHost`, for a host that must lie in the internet. */
export const checkPublicHost = (host: string): void => {
  const bare = host.replace(/^\[|\]$/g, '')
  if (isIP(bare) !== 0) checkPublicAddress(bare)
}

/** DNS of which every address is judged. */
export const judgedLookup =
  (check: (address: string) => void): LookupFunction =>
  (hostname, options, callback) => {
    resolveName(hostname, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
      if (error) return callback(error, '', 0)
      try {
        for (const { address } of addresses) check(address)
      } catch (refusal) {
        return callback(refusal as Error, '', 0)
      }
      const [first] = addresses
      if (options.all === true) callback(null, addresses)
      else callback(null, first?.address ?? '', first?.family ?? 0)
    })
  }

/**
 * DNS for a connection that is being made: what is checked is what is connected
 * to, so a name cannot change its address in between. One refused address
 * refuses the name.
 */
export const guardedLookup = (allowPrivate: boolean): LookupFunction =>
  judgedLookup(allowPrivate ? () => undefined : checkAddress)

/** The same for names that must lie in the internet. */
export const publicLookup: LookupFunction = judgedLookup(checkPublicAddress)
