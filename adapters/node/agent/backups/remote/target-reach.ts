import { isIP } from 'node:net'
import type { LookupFunction } from 'node:net'
import { networkInterfaces } from 'node:os'
import ipaddr from 'ipaddr.js'
import { checkAddress, isPublicAddress, judgedLookup } from '../../../process/guarded-lookup.ts'

/**
 * What addresses a connection may have. `anywhere`: all; `elsewhere`: none of this
 * machine's loopback and of its link; `networks`: besides, none that this machine has
 * itself, nor that tells a machine its secrets; `internet`: besides, no private network.
 */
export type Reach = 'anywhere' | 'elsewhere' | 'networks' | 'internet'

/** Where clouds tell a machine its secrets, beside 169.254.169.254. */
const METADATA: readonly string[] = [
  'fd00:ec2::254',
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
]

const plain = (address: string): string =>
  ipaddr.isValid(address) ? ipaddr.process(address).toNormalizedString() : address

const METADATA_PLAIN: ReadonlySet<string> = new Set(METADATA.map(plain))

/** Asked each time: addresses come and go. */
const isOwn = (address: string): boolean =>
  Object.values(networkInterfaces()).some((all) =>
    all?.some((one) => plain(one.address.split('%')[0] ?? '') === address),
  )

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
  const bare = plain(address)
  let isHere = METADATA_PLAIN.has(bare) || isOwn(bare)
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
