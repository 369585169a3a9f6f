import type { TurnPart } from '#handlers/sites/origins/site-turns.ts'

/** The request that a worker is in. */
export interface MarkedRequest {
  part: TurnPart
  /** Primary domain. */
  site: string
  method: string
  /** Request target as received, cut where it is very long. */
  target: string
}

/** Length of a record: the number of the beat, the length of the text, the text. */
export const RECORD_BYTES = 1024
const COUNT_AT = 0
const LENGTH_AT = 4
const TEXT_AT = 8
/** Between the parts of the text; in none of them, since a request line has no line ends. */
const SEPARATOR = '\n'

/** What was read of a worker's record. */
export interface HeartbeatRecord {
  /** Another number: it lives. */
  beat: number
  /** Null: it is in none that is known. */
  request: MarkedRequest | null
}

/** Puts the request into `record`; returns the bytes that count. */
export const writeRecord = (
  record: Buffer,
  beat: number,
  request: MarkedRequest | null,
): number => {
  record.writeUInt32LE(beat >>> 0, COUNT_AT)
  const length =
    request === null
      ? 0
      : record.write(
          `${request.part}${SEPARATOR}${request.site}${SEPARATOR}${request.method}${SEPARATOR}${request.target}`,
          TEXT_AT,
          'latin1',
        )
  record.writeUInt32LE(length, LENGTH_AT)
  return TEXT_AT + length
}

/** Reads a record; what is no request counts as none, for it may be half written. */
export const readRecord = (record: Buffer): HeartbeatRecord => {
  const beat = record.readUInt32LE(COUNT_AT)
  const length = Math.min(record.readUInt32LE(LENGTH_AT), RECORD_BYTES - TEXT_AT)
  const text = record.toString('latin1', TEXT_AT, TEXT_AT + length)
  const [part, site, method, target] = text.split(SEPARATOR)
  if (part !== 'request' && part !== 'rules') return { beat, request: null }
  if (site === undefined || method === undefined || target === undefined)
    return { beat, request: null }
  return { beat, request: { part, site, method, target } }
}
