import { describe, expect, it } from 'vitest'
import { createPeerUid, findPeerUid } from '#adapters/node/web-server/purge/peer-uid.ts'

const OURS = {
  clientAddress: '127.0.0.1',
  clientPort: 0x8236,
  serverAddress: '127.0.0.1',
  serverPort: 80,
}
const line = (local: string, remote: string, state = '01', uid = '1001', inode = '14893'): string =>
  `   1: ${local} ${remote} ${state} 00000000:00000000 00:00000000 00000000  ${uid}        0 ${inode} 1 0000000000000000 20 4 30 10 -1                   \n`
const HEAD =
  '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n'
const CLIENT = '0100007F:8236'
const SERVER = '0100007F:0050'
const MAPPED = '0000000000000000FFFF0000'

describe('the uid of the other end of a connection', () => {
  it.each<[string, string, number | null]>([
    ['is there', line(SERVER, CLIENT, '01', '33') + line(CLIENT, SERVER), 1001],
    ['is in the table of IPv6', line(`${MAPPED}${CLIENT}`, `${MAPPED}${SERVER}`), 1001],
    ['is nowhere', line(SERVER, CLIENT), null],
    ['has another port', line('0100007F:8237', SERVER), null],
    ['has another address', line('0200007F:8236', SERVER), null],
    ['is closing', line(CLIENT, SERVER, '05'), null],
    ['waits for what is late', line(CLIENT, SERVER, '06', '0', '0'), null],
    ['has no inode any more', line(CLIENT, SERVER, '01', '1001', '0'), null],
    ['is root', line(CLIENT, SERVER, '01', '0'), null],
    ['is of another namespace', line(CLIENT, SERVER, '01', '65534'), null],
    [
      'is there twice',
      line(CLIENT, SERVER) + line(`${MAPPED}${CLIENT}`, `${MAPPED}${SERVER}`, '01', '1002'),
      null,
    ],
    ['has a line that is cut', line(CLIENT, SERVER).slice(0, 60), null],
    ['has a line of something else', line(CLIENT, SERVER, '01', 'x'), null],
  ])('%s', (_name, lines, expected) => {
    expect(findPeerUid(HEAD + lines, OURS)).toBe(expected)
  })

  it('is found over IPv6', () => {
    const local = '00000000000000000000000001000000'
    const six = { ...OURS, clientAddress: '::1', serverAddress: '::1' }
    expect(findPeerUid(line(`${local}:8236`, `${local}:0050`), six)).toBe(1001)
    expect(
      findPeerUid(line(`${local}:8236`, `${local}:0050`), { ...six, clientAddress: '::1%lo' }),
    ).toBe(null)
  })

  it('is not asked for where the address is not of this machine', async () => {
    const uid = createPeerUid(() => Promise.reject(new Error('read')))
    for (const clientAddress of ['192.0.2.77', '2001:db8::77', '', 'x'])
      expect(await uid({ ...OURS, clientAddress })).toBe(null)
  })

  it('is read anew for whoever asks after a reading began', async () => {
    const open: (() => void)[] = []
    let reads = 0
    const uid = createPeerUid(async () => {
      const mine = ++reads
      await new Promise<void>((resolve) => open.push(resolve))
      return line(CLIENT, SERVER, '01', String(1000 + mine))
    })
    const first = uid(OURS)
    const others = [uid(OURS), uid(OURS)]
    expect(reads).toBe(1)
    open.shift()?.()
    expect(await first).toBe(1001)
    await Promise.resolve()
    expect(reads).toBe(2)
    open.shift()?.()
    expect(await Promise.all(others)).toEqual([1002, 1002])
  })
})
