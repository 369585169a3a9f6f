import { isIP } from 'node:net'
import type { LookupFunction } from 'node:net'
import {
  isMetadataAddress,
  isPublicAddress,
  plainAddress,
} from '#handlers/domain/text/internet-address.ts'
import { checkAddress, judgedLookup } from '../../../process/guarded-lookup.ts'
import { isOwnAddress } from '../../../process/own-address.ts'

/**
 * What addresses a connection may have. `anywhere`: all; `elsewhere`: none of this
 * machine's loopback and of its link; `networks`: besides, none that this machine has
 * itself, nor that tells a machine its secrets; `internet`: besides, no private network.
 */
export type Reach = 'anywhere' | 'elsewhere' | 'networks' | 'internet'

class OutOfReachError extends Error {
  constructor(address: string, advice: string) {
    super(`${address} ${advice}`)
    this.name = 'OutOfReachError'
  }
}

/** Throws, in words for people, for an address that is out of reach. */
export const checkReach = (address: string, reach: Reach): void => {
  if (reach === 'anywhere') return
  if (reach === 'elsewhere') return checkAddress(address)
  const bare = plainAddress(address)
  let isHere = isMetadataAddress(bare) || isOwnAddress(bare)
  try {
    checkAddress(address)
  } catch {
    isHere = true
  }
  if (isHere)
    throw new OutOfReachError(
      address,
      'is an address of this machine or of its link, where no target of the panel may be. Set it up in berth.toml, as [[remote_target]], if that is meant',
    )
  if (reach === 'internet' && !isPublicAddress(address))
    throw new OutOfReachError(
      address,
      'lies in a private network. Allow that for this target (allow_private, --allow-private) if it is meant',
    )
}

/** Checks a host that is an address by itself; names are checked when they are resolved. */
export const checkHostReach = (host: string, reach: Reach): void => {
  const bare = host.replace(/^\[|\]$/g, '')
  if (isIP(bare) !== 0) checkReach(bare, reach)
}

/** DNS for a connection of that reach; see `guardedLookup`. */
export const lookupWithin = (reach: Reach): LookupFunction =>
  judgedLookup((address) => checkReach(address, reach))
