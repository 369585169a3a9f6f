import { networkInterfaces } from 'node:os'
import { plainAddress } from '#handlers/domain/text/internet-address.ts'

/** Whether this machine has an address, as `plainAddress` spells it. Asked each time: addresses come and go. */
export const isOwnAddress = (address: string): boolean =>
  Object.values(networkInterfaces()).some((all) =>
    all?.some((one) => plainAddress(one.address.split('%')[0] ?? '') === address),
  )
