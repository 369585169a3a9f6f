import type { RequestMeter } from '#handlers/sites/guard/request-meter.ts'
import { isLimited } from '#handlers/sites/guard/site-guard.ts'
import type { VirtualHostTable } from '#handlers/sites/names/virtual-host-table.ts'

/** Counts what is answered from memory, at sites with limits of requests. */
export interface FastLimits {
  /**
   * Whether a response that is ready may be sent; it is counted then. False: the slow path
   * decides, which is also where the path is not as written (`isPlain`) or a proxy asks for others.
   */
  passes(host: string, path: string, isPlain: boolean, clientAddress: string): boolean
}

/** Costs one look at a flag where no site has limits, and looking up a name where others have. */
export const createFastLimits = (deps: {
  hosts: () => VirtualHostTable
  meter: RequestMeter
  /** Whether an address is a proxy whose word on its clients is believed. */
  isProxy(address: string): boolean
}): FastLimits => ({
  passes: (host, path, isPlain, clientAddress) => {
    const table = deps.hosts()
    if (!table.isLimited) return true
    const vhost = table.find(host)
    if (vhost === null || !isLimited(vhost)) return true
    if (!isPlain || deps.isProxy(clientAddress)) return false
    return typeof deps.meter.take(vhost, path, clientAddress, true) !== 'number'
  },
})
