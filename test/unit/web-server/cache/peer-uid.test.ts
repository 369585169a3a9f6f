import { once } from 'node:events'
import { stat } from 'node:fs/promises'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import {
  findPeerUid,
  readConnectionTable,
  type PeerConnection,
} from '#adapters/node/web-server/purges/connection-table.ts'
import { createPeerUid } from '#adapters/node/web-server/purges/peer-uid.ts'

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
/** The server's end of the connection. */
const MIRROR = line(SERVER, CLIENT, '01', '33', '14894')
const find = (text: string, connection: PeerConnection = OURS): number | null =>
  findPeerUid(readConnectionTable(text), connection)

describe('the uid of the other end of a connection', () => {
  it.each<[string, string, number | null]>([
    ['is there', MIRROR + line(CLIENT, SERVER), 1001],
    ['is in the table of IPv6', MIRROR + line(`${MAPPED}${CLIENT}`, `${MAPPED}${SERVER}`), 1001],
    [
      'is the other of a socket of IPv6',
      line(`${MAPPED}${SERVER}`, `${MAPPED}${CLIENT}`) + line(CLIENT, SERVER),
      1001,
    ],
    ['is read twice', MIRROR + MIRROR + line(CLIENT, SERVER) + line(CLIENT, SERVER), 1001],
    ['is nowhere', MIRROR, null],
    ['has another port', MIRROR + line('0100007F:8237', SERVER), null],
    ['has another address', MIRROR + line('0200007F:8236', SERVER), null],
    ['is closing', MIRROR + line(CLIENT, SERVER, '05'), null],
    ['waits for what is late', MIRROR + line(CLIENT, SERVER, '06', '0', '0'), null],
    ['has no inode any more', MIRROR + line(CLIENT, SERVER, '01', '1001', '0'), null],
    ['is root', MIRROR + line(CLIENT, SERVER, '01', '0'), null],
    ['is of another namespace', MIRROR + line(CLIENT, SERVER, '01', '65534'), null],
    [
      'is there twice',
      MIRROR +
        line(CLIENT, SERVER) +
        line(`${MAPPED}${CLIENT}`, `${MAPPED}${SERVER}`, '01', '1002'),
      null,
    ],
    ['is two', MIRROR + line(CLIENT, SERVER) + line(CLIENT, SERVER, '01', '1002'), null],
    ['has a line that is cut', MIRROR + line(CLIENT, SERVER).slice(0, 60), null],
    ['has a line cut before the next', `${line(CLIENT, SERVER).slice(0, 60)}\n${MIRROR}`, null],
    ['has a line of something else', MIRROR + line(CLIENT, SERVER, '01', 'x'), null],
    ['has no server’s end', line(CLIENT, SERVER), null],
    ['has a server’s end that is closing', line(SERVER, CLIENT, '08') + line(CLIENT, SERVER), null],
    [
      'has a server’s end that nobody took',
      line(SERVER, CLIENT, '01', '0', '0') + line(CLIENT, SERVER),
      null,
    ],
  ])('%s', (_name, lines, expected) => {
    expect(find(HEAD + lines)).toBe(expected)
    expect(find(lines + HEAD + line('0100007F:0001', CLIENT))).toBe(expected)
  })

  it('is found over IPv6', () => {
    const local = '00000000000000000000000001000000'
    const six = { ...OURS, clientAddress: '::1', serverAddress: '::1' }
    const [client, server] = [`${local}:8236`, `${local}:0050`]
    const text = line(client, server) + line(server, client)
    expect(find(text, six)).toBe(1001)
    expect(find(text, { ...six, clientAddress: '::1%lo' })).toBe(null)
    const mapped = { clientAddress: '::ffff:127.0.0.1', serverAddress: '::ffff:127.0.0.1' }
    expect(find(MIRROR + line(CLIENT, SERVER), { ...OURS, ...mapped })).toBe(1001)
  })

  it('is not asked for where the address is not of this machine', async () => {
    const uid = createPeerUid(() => Promise.reject(new Error('read')))
    for (const clientAddress of ['192.0.2.77', '2001:db8::77', '', 'x'])
      expect(await uid({ ...OURS, clientAddress })).toBe(null)
  })

  /** Readings and pauses that end when the test lets them. */
  const stepwise = () => {
    const readings: (() => void)[] = []
    const pauses: (() => void)[] = []
    const open = (into: (() => void)[]): Promise<void> =>
      new Promise((resolve) => into.push(resolve))
    const uid = createPeerUid(
      async () => {
        const uidText = String(1001 + readings.length)
        await open(readings)
        return MIRROR + line(CLIENT, SERVER, '01', uidText)
      },
      () => open(pauses),
    )
    return { readings, pauses, uid }
  }

  it('is read anew for whoever asks after a reading began, once for all of them', async () => {
    const { readings, pauses, uid } = stepwise()
    const first = uid(OURS)
    const others = Array.from({ length: 1000 }, () => uid(OURS))
    expect(readings.length).toBe(1)
    readings[0]?.()
    expect(await first).toBe(1001)
    // The one ahead has ended, and the next waits for its time all the same.
    others.push(uid(OURS))
    await turn()
    expect(readings.length).toBe(1)
    pauses[0]?.()
    await turn()
    expect(readings.length).toBe(2)
    readings[1]?.()
    expect(new Set(await Promise.all(others))).toEqual(new Set([1002]))
    pauses[1]?.()
    await turn()
    // Nobody waits.
    expect(readings.length).toBe(2)
    const last = uid(OURS)
    expect(readings.length).toBe(3)
    readings[2]?.()
    expect(await last).toBe(1003)
  })

  it('is told when the server has heard of a reset that was before the reading', async () => {
    const server = createServer()
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    for (let n = 0; n < 10; n++) {
      const client = connect(port, '127.0.0.1')
      const [[socket]] = (await Promise.all([
        once(server, 'connection'),
        once(client, 'connect'),
      ])) as [[Socket], unknown]
      let isClosed = false
      socket.on('error', () => undefined)
      socket.on('close', () => (isClosed = true))
      socket.resume()
      const uid = createPeerUid(async () => {
        client.resetAndDestroy()
        await stat('/')
        return ''
      })
      await uid(OURS)
      expect(isClosed).toBe(true)
    }
    server.close()
  })
})
