import { KnownTargets } from '#adapters/node/web-server/http1/head/known-targets.ts'
import {
  RequestReader,
  type BlockFacts,
} from '#adapters/node/web-server/http1/head/request-reader.ts'
import { QuickHeaders } from '#adapters/node/messages/quick-headers.ts'

/** A head that the strict parser accepted. */
export interface AcceptedHead {
  method: 'GET' | 'HEAD'
  target: string
  /** The same, where the worker remembers it. */
  knownTarget: string | null
  /** As the slow path hands them to the site. */
  headers: [string, string][]
  facts: BlockFacts
  hostField: string
  /** Where it stood. */
  start: number
  end: number
}

/** What our engine does with the bytes of a connection. */
export interface EngineReading {
  accepted: AcceptedHead[]
  /** From here on the bytes are the general server's; null: the rest is dropped, since a request asked to close. */
  handedOverAt: number | null
}

/** As a worker's connections share them. */
const targets = new KnownTargets()

/** Reads as `Http1Connection` does, all bytes being there at once. */
export const readAsEngine = (bytes: Buffer, maxHeadBytes: number): EngineReading => {
  const reader = new RequestReader(maxHeadBytes, targets)
  const accepted: AcceptedHead[] = []
  let at = 0
  while (at < bytes.length) {
    const end = reader.read(bytes, at)
    if (end <= 0) break
    accepted.push({
      method: reader.head.isHead ? 'HEAD' : 'GET',
      target: reader.target(bytes),
      knownTarget: reader.known(bytes)?.text ?? null,
      headers: [...new QuickHeaders(reader.fields)],
      facts: reader.facts,
      hostField: reader.hostField,
      start: at,
      end,
    })
    at = end
    if (reader.facts.close) return { accepted, handedOverAt: null }
  }
  return { accepted, handedOverAt: at }
}
