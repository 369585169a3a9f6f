import { crc32, deflateSync } from 'node:zlib'

const chunk = (type: string, data: Buffer): Buffer => {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const whole = Buffer.alloc(body.length + 8)
  whole.writeUInt32BE(data.length)
  body.copy(whole, 4)
  whole.writeUInt32BE(crc32(body), body.length + 4)
  return whole
}

/** A PNG, large enough for a thumbnail. */
export const greyPicture = (): Buffer => {
  const side = 400
  const head = Buffer.alloc(13)
  head.writeUInt32BE(side)
  head.writeUInt32BE(side, 4)
  head.writeUInt8(8, 8)
  const rows = Buffer.alloc(side * (side + 1), 0x80)
  for (let row = 0; row < side; row++) rows[row * (side + 1)] = 0
  const signature = Buffer.from('89504e470d0a1a0a', 'hex')
  const parts = [
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]
  return Buffer.concat([signature, ...parts])
}
