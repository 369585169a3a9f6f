import { readPart } from '#adapters/shared/host-rpc/link/body-parts.ts'
import type { JoinedBody } from '#adapters/shared/host-rpc/link/body-parts.ts'
import { MAX_JOINED_BYTES } from '#adapters/shared/host-rpc/link/body-parts.ts'
import { sha256Hex } from '#adapters/shared/host-rpc/signed-call.ts'

/** Bodies that are arriving at once from one panel, and bytes of all of them. */
const MAX_BODIES = 4
const MAX_HELD_BYTES = 2 * MAX_JOINED_BYTES
/** Between two parts, and until the call that they are for. */
const KEEP_MS = 60_000

interface Arriving {
  panel: string
  parts: Uint8Array<ArrayBuffer>[]
  sizeBytes: number
  timer: NodeJS.Timeout
}

/** Bodies too large for one call, which arrive in parts before the call that they are for. */
export interface JoinedBodies {
  /** Takes the next part; one that came already is taken again without effect. False: it fits nowhere, or there is no room. */
  take(panel: string, written: Uint8Array<ArrayBuffer>): boolean
  /** The body, once; null where it has not come whole, or is another one. */
  join(panel: string, joined: JoinedBody): Promise<Uint8Array<ArrayBuffer> | null>
}

/** Keeps them in memory, bounded, each as its panel's alone. */
export const createJoinedBodies = (keepMs = KEEP_MS): JoinedBodies => {
  const arriving = new Map<string, Arriving>()
  let heldBytes = 0
  const forget = (key: string): void => {
    const one = arriving.get(key)
    if (one === undefined) return
    clearTimeout(one.timer)
    heldBytes -= one.sizeBytes
    arriving.delete(key)
  }
  const begin = (key: string, panel: string): Arriving | null => {
    const own = [...arriving.values()].filter((one) => one.panel === panel)
    if (own.length >= MAX_BODIES) return null
    const timer = setTimeout(() => forget(key), keepMs).unref()
    const one: Arriving = { panel, parts: [], sizeBytes: 0, timer }
    arriving.set(key, one)
    return one
  }

  return {
    take(panel, written) {
      const part = readPart(written)
      if (part === null) return false
      const key = `${panel} ${part.id}`
      const known = arriving.get(key)
      // Its answer was lost.
      if (known !== undefined && part.number < known.parts.length) return true
      if (part.number !== (known?.parts.length ?? 0)) return false
      const { byteLength } = part.bytes
      if (heldBytes + byteLength > MAX_HELD_BYTES) return false
      if ((known?.sizeBytes ?? 0) + byteLength > MAX_JOINED_BYTES) return false
      const one = known ?? begin(key, panel)
      if (one === null) return false
      one.parts.push(part.bytes)
      one.sizeBytes += byteLength
      heldBytes += byteLength
      one.timer.refresh()
      return true
    },
    async join(panel, { id, sizeBytes, sha256 }) {
      const one = arriving.get(`${panel} ${id}`)
      if (one === undefined) return null
      forget(`${panel} ${id}`)
      if (one.sizeBytes !== sizeBytes) return null
      const body = new Uint8Array(sizeBytes)
      let at = 0
      for (const part of one.parts) {
        body.set(part, at)
        at += part.byteLength
      }
      return (await sha256Hex(body)) === sha256 ? body : null
    },
  }
}
