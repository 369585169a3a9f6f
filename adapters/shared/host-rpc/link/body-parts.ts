import { z } from 'zod'

/** Path at which a panel hands over a part of a body, by a signed call of its own. */
export const PART_METHOD = 'part'
/** What is larger goes in parts of this size, in bytes. */
export const PART_BYTES = 4 * 2 ** 20
/** Largest body that is put together again: as much as the socket of the panel's own machine takes. */
export const MAX_JOINED_BYTES = 96 * 2 ** 20

const ID_CHARS = 32
const HEAD_BYTES = ID_CHARS + 4

/** A part of a body; all of one body have the same id. */
export interface BodyPart {
  /** 16 random bytes in hexadecimal digits. */
  id: string
  /** From 0 on, one after the other. */
  number: number
  bytes: Uint8Array<ArrayBuffer>
}

/** Id and number (four bytes, the highest first), then the bytes. */
export const writePart = ({ id, number, bytes }: BodyPart): Uint8Array<ArrayBuffer> => {
  const written = new Uint8Array(HEAD_BYTES + bytes.byteLength)
  written.set(new TextEncoder().encode(id))
  new DataView(written.buffer).setUint32(ID_CHARS, number)
  written.set(bytes, HEAD_BYTES)
  return written
}

/** Null for what is no part. */
export const readPart = (written: Uint8Array<ArrayBuffer>): BodyPart | null => {
  if (written.byteLength <= HEAD_BYTES || written.byteLength > HEAD_BYTES + PART_BYTES) return null
  const id = new TextDecoder('latin1').decode(written.subarray(0, ID_CHARS))
  if (!/^[0-9a-f]{32}$/.test(id)) return null
  const number = new DataView(written.buffer, written.byteOffset).getUint32(ID_CHARS)
  return { id, number, bytes: written.subarray(HEAD_BYTES) }
}

const joinedSchema = z.strictObject({
  joined: z.strictObject({
    id: z.string().regex(/^[0-9a-f]{32}$/),
    sizeBytes: z.int().positive().max(MAX_JOINED_BYTES),
    sha256: z.string().regex(/^[0-9a-f]{64}$/),
  }),
})

/** What stands in a call in place of a body that went ahead in parts. */
export type JoinedBody = z.output<typeof joinedSchema>['joined']

/** The body of such a call. */
export const writeJoined = (joined: JoinedBody): Uint8Array<ArrayBuffer> =>
  new Uint8Array(new TextEncoder().encode(JSON.stringify({ joined })))

/** Longest text of one, in bytes. */
const MAX_JOINED_TEXT = 256
const BEGINNING = '{"joined":'

/** Null for a body that stands for itself. */
export const readJoined = (body: Uint8Array<ArrayBuffer>): JoinedBody | null => {
  if (body.byteLength > MAX_JOINED_TEXT) return null
  const text = new TextDecoder().decode(body)
  if (!text.startsWith(BEGINNING)) return null
  try {
    const read = joinedSchema.safeParse(JSON.parse(text))
    return read.success ? read.data.joined : null
  } catch {
    return null
  }
}
