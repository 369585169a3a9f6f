import {
  PACKET,
  PACKET_HEAD_BYTES,
  writePacketHead,
} from '#adapters/node/php-backends/lsapi/packets.ts'

/** A packet as lsphp would send it. */
export const packet = (kind: number, content: Buffer = Buffer.alloc(0)): Buffer<ArrayBuffer> => {
  const head = Buffer.alloc(PACKET_HEAD_BYTES)
  writePacketHead(head, kind, head.length + content.length)
  return Buffer.concat([head, content])
}

/** The packet of a response head with these header lines. */
export const responseHead = (status: number, lines: readonly string[]): Buffer<ArrayBuffer> => {
  const texts = lines.map((line) => Buffer.from(`${line}\0`, 'latin1'))
  const counts = Buffer.alloc(8)
  counts.writeInt32LE(lines.length, 0)
  counts.writeInt32LE(status, 4)
  const lengths = Buffer.alloc(lines.length * 2)
  for (const [index, text] of texts.entries()) lengths.writeUInt16LE(text.length, index * 2)
  return packet(PACKET.responseHead, Buffer.concat([counts, lengths, ...texts]))
}
