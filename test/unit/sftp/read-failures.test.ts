import { expect, it } from 'vitest'
import { readFailures } from '#adapters/node/agent/sftp/sessions/read-failures.ts'

/** An entry as sshd writes it on x64. */
const entry = (username: string, address: number[], line = 'ssh:notty'): Buffer => {
  const bytes = Buffer.alloc(384)
  bytes.writeUInt16LE(6)
  bytes.write(line, 8)
  bytes.write(username.slice(0, 32), 44, 'latin1')
  bytes.write('host.example', 76)
  bytes.writeUInt32LE(1_700_000_000, 340)
  Buffer.from(address).copy(bytes, 348)
  return bytes
}
const V4 = [192, 0, 2, 7]
const V6 = [0x20, 0x01, 0x0d, 0xb8, ...Array<number>(11).fill(0), 1]
const of = (...entries: Buffer[]) => readFailures(Buffer.concat(entries), 'x64')

it('reads names, addresses and times of sshd alone', () => {
  const atMs = 1_700_000_000_000
  expect(of(entry('lena', V4), entry('root', V4, 'tty1'), entry('lena_web', V6))).toEqual([
    { username: 'lena', address: '192.0.2.7', atMs },
    { username: 'lena_web', address: '2001:db8::1', atMs },
  ])
})

it('takes a name for what it is, and no half entry', () => {
  const forged = `lena\nlena from 192.0.2.9 port 22 ssh2${'x'.repeat(400)}`
  expect(of(entry(forged, V4)).map(({ username, address }) => [username, address])).toEqual([
    [forged.slice(0, 32), '192.0.2.7'],
  ])
  expect(of(entry('lena', V4).subarray(0, 383))).toEqual([])
  expect(readFailures(entry('lena', V4), 'mips')).toEqual([])
})

it('knows the longer entries of arm64', () => {
  const bytes = Buffer.alloc(400)
  bytes.write('ssh:notty', 8)
  bytes.write('lena', 44)
  bytes.writeBigInt64LE(1_700_000_000n, 344)
  Buffer.from(V4).copy(bytes, 360)
  expect(readFailures(bytes, 'arm64')).toEqual([
    { username: 'lena', address: '192.0.2.7', atMs: 1_700_000_000_000 },
  ])
})
