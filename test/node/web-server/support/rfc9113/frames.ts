import {
  CONTINUATION,
  DATA,
  END_HEADERS,
  END_STREAM,
  fields,
  frame,
  GOAWAY,
  HEADERS,
  PING,
  pseudo,
  RST_STREAM,
  SETTINGS,
  type FrameClient,
} from '../h2-frames.ts'
import * as a from './case.ts'

const { one, get, post, data, connection, served, ignored, stream } = a
const PLAIN = fields(pseudo('a.test', '/cold/1'))
const WHOLE = END_STREAM | END_HEADERS
const padded = (bytes: number, content: Buffer, padding = bytes): Buffer =>
  Buffer.concat([Buffer.from([bytes]), content, Buffer.alloc(padding)])
const wrong = (
  name: string,
  type: number,
  id: number,
  sizes: readonly number[],
  setUp: readonly a.Step[] = [],
): a.Rfc9113Case[] =>
  sizes.map((size) =>
    one(
      `6: ${name} of ${size} bytes has a wrong length`,
      connection(a.FRAME_SIZE),
      ...setUp,
      frame(type, 0, id, Buffer.alloc(size, 1)),
    ),
  )
const elsewhere = (name: string, type: number, id: number, payload: Buffer): a.Rfc9113Case =>
  one(
    `6: ${name} does not belong to stream ${id}`,
    connection(a.PROTOCOL),
    frame(type, 0, id, payload),
  )
const count = (client: FrameClient, type: number, flags: number): number =>
  client.frames.filter((one) => one.type === type && one.flags === flags).length
const acknowledged =
  (times: number): a.Step =>
  async (client) => {
    await client.until(() => count(client, SETTINGS, a.ACK) >= times)
  }
const received =
  (id: number, body: string): a.Step =>
  async (client) => {
    await client.until(() => client.body(id).length >= body.length)
    if (client.body(id) !== body) throw new Error(`stream ${id} got ${client.body(id)}`)
  }

/** DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS and PUSH_PROMISE: sections 6.1 to 6.6. */
export const FRAMES: readonly a.Rfc9113Case[] = [
  elsewhere('DATA', DATA, 0, Buffer.from('a')),
  one(
    '6.1: padding is left out',
    served(1, 'abc'),
    post(),
    frame(DATA, END_STREAM | a.PADDED, 1, padded(200, Buffer.from('abc'))),
  ),
  one(
    '6.1: padding may be empty',
    served(1, 'abc'),
    post(),
    frame(DATA, END_STREAM | a.PADDED, 1, padded(0, Buffer.from('abc'))),
  ),
  one(
    '6.1: DATA may be nothing but its padding',
    served(1, ''),
    post(),
    frame(DATA, END_STREAM | a.PADDED, 1, padded(5, Buffer.alloc(0))),
  ),
  one(
    '6.1: padding as long as the frame',
    connection(a.PROTOCOL),
    post(),
    frame(DATA, END_STREAM | a.PADDED, 1, padded(4, Buffer.alloc(0), 3)),
  ),
  one(
    '6.1: padding longer than the frame',
    connection(a.PROTOCOL),
    post(),
    frame(DATA, END_STREAM | a.PADDED, 1, padded(255, Buffer.from('abc'), 0)),
  ),
  one(
    '6.1: no room for the length of the padding',
    connection(a.FRAME_SIZE, a.PROTOCOL),
    post(),
    frame(DATA, END_STREAM | a.PADDED, 1, Buffer.alloc(0)),
  ),
  elsewhere('HEADERS', HEADERS, 0, PLAIN),
  one(
    '6.2: padding of HEADERS is left out',
    served(),
    frame(HEADERS, WHOLE | a.PADDED, 1, padded(30, PLAIN)),
  ),
  one(
    '6.2: padding of HEADERS longer than the frame',
    connection(a.PROTOCOL),
    frame(HEADERS, WHOLE | a.PADDED, 1, padded(255, PLAIN, 3)),
  ),
  one(
    '6.2: no room for the length of the padding of HEADERS',
    connection(a.FRAME_SIZE, a.PROTOCOL),
    frame(HEADERS, WHOLE | a.PADDED, 1, Buffer.alloc(0)),
  ),
  one(
    '6.2: no room for the priority of HEADERS',
    connection(a.FRAME_SIZE, a.PROTOCOL),
    frame(HEADERS, WHOLE | a.HAS_PRIORITY, 1, Buffer.alloc(4)),
  ),
  one(
    '6.2: padding and priority together',
    served(),
    frame(
      HEADERS,
      WHOLE | a.PADDED | a.HAS_PRIORITY,
      1,
      padded(9, Buffer.concat([Buffer.alloc(5), PLAIN])),
    ),
  ),
  elsewhere('PRIORITY', a.PRIORITY, 0, Buffer.alloc(5)),
  ...wrong('PRIORITY', a.PRIORITY, 1, [0, 4, 6], [get(1, '/wait')]),
  elsewhere('RST_STREAM', RST_STREAM, 0, Buffer.alloc(4)),
  ...wrong('RST_STREAM', RST_STREAM, 1, [0, 3, 5], [get(1, '/wait')]),
  ...wrong(
    'RST_STREAM to what was answered beside the session',
    RST_STREAM,
    1,
    [3],
    [get(1, '/page/1')],
  ),
  elsewhere('SETTINGS', SETTINGS, 1, Buffer.alloc(0)),
  ...wrong('SETTINGS', SETTINGS, 0, [1, 5, 7]),
  one(
    '6.5: an acknowledgement with content',
    connection(a.FRAME_SIZE),
    frame(SETTINGS, a.ACK, 0, Buffer.alloc(6)),
  ),
  one('6.5.2: ENABLE_PUSH is 0 or 1', connection(a.PROTOCOL), a.setting([2, 2])),
  one('6.5.2: ENABLE_PUSH may be 0', ignored, a.setting([2, 0])),
  one('6.5.2: ENABLE_PUSH may be 1', ignored, a.setting([2, 1])),
  one(
    '6.5.2: INITIAL_WINDOW_SIZE is at most 2^31 - 1',
    connection(a.FLOW_CONTROL),
    a.setting([4, 0x8000_0000]),
  ),
  one('6.5.2: INITIAL_WINDOW_SIZE may be 2^31 - 1', ignored, a.setting([4, 0x7fff_ffff])),
  one('6.5.2: MAX_FRAME_SIZE is at least 16,384', connection(a.PROTOCOL), a.setting([5, 16_383])),
  one(
    '6.5.2: MAX_FRAME_SIZE is at most 2^24 - 1',
    connection(a.PROTOCOL),
    a.setting([5, 0x100_0000]),
  ),
  one('6.5.2: MAX_FRAME_SIZE may be 2^24 - 1', ignored, a.setting([5, 0xff_ffff])),
  one('6.5.2: an unknown setting is ignored', ignored, a.setting([0xbe, 77])),
  one(
    '6.5.3: every SETTINGS is acknowledged',
    ignored,
    a.setting([3, 100]),
    a.setting(),
    a.setting([1, 4096]),
    acknowledged(4),
  ),
  one(
    '6.5.3: values count in their order',
    served(1, 'xxxx'),
    a.setting([4, 100], [4, 1]),
    acknowledged(2),
    get(1, '/cold/4'),
    received(1, 'x'),
    a.grow(1, 3),
  ),
  one(
    '6.6: a client pushes nothing',
    connection(a.PROTOCOL),
    get(1, '/wait'),
    frame(a.PUSH_PROMISE, END_HEADERS, 1, Buffer.concat([a.number(2), PLAIN])),
  ),
  elsewhere('PUSH_PROMISE', a.PUSH_PROMISE, 0, Buffer.concat([a.number(2), PLAIN])),
]

/** PING, GOAWAY, WINDOW_UPDATE and CONTINUATION: sections 6.7 to 6.10. */
export const CONTROL: readonly a.Rfc9113Case[] = [
  elsewhere('PING', PING, 1, Buffer.alloc(8)),
  ...wrong('PING', PING, 0, [0, 7, 9]),
  one(
    '6.7: PING is answered with what it holds',
    ignored,
    frame(PING, 0, 0, Buffer.from('12345678')),
    async (client) => {
      await client.until(
        ({ type, flags, payload }) =>
          type === PING && flags === a.ACK && payload.toString() === '12345678',
      )
    },
  ),
  one(
    '6.7: an answer to PING is not answered',
    ignored,
    frame(PING, a.ACK, 0, Buffer.from('abcdefgh')),
    frame(PING, 0, 0, Buffer.from('12345678')),
    async (client) => {
      await client.until(({ type }) => type === PING)
      if (count(client, PING, a.ACK) !== 1) throw new Error('the answer was answered')
    },
  ),
  elsewhere('GOAWAY', GOAWAY, 1, Buffer.alloc(8)),
  ...wrong('GOAWAY', GOAWAY, 0, [0, 7]),
  one(
    '6.8: what was asked before GOAWAY is still answered',
    connection(a.NO_ERROR),
    get(1, '/late'),
    frame(GOAWAY, 0, 0, Buffer.concat([a.number(0), a.number(0), Buffer.from('bye')])),
    async (client) => {
      if ((await client.end(1)) !== 'ended') throw new Error('it was not answered')
    },
  ),
  ...wrong('WINDOW_UPDATE', a.WINDOW_UPDATE, 0, [0, 3, 5]),
  ...wrong('WINDOW_UPDATE of a stream', a.WINDOW_UPDATE, 1, [3, 5], [get(1, '/wait')]),
  one(
    '6.9: the window of the connection grows by more than nothing',
    connection(a.PROTOCOL),
    a.grow(0, 0),
  ),
  one(
    '6.9: the window of a stream grows by more than nothing',
    stream(1, a.PROTOCOL),
    get(1, '/wait'),
    a.grow(1, 0),
  ),
  one('6.9: the reserved bit of an increment is ignored', ignored, a.grow(0, 0x8000_0001)),
  one(
    '6.9.1: the window of the connection is at most 2^31 - 1',
    connection(a.FLOW_CONTROL),
    a.grow(0, 0x7fff_ffff),
  ),
  one(
    '6.9.1: the window of the connection is at most 2^31 - 1, in steps',
    connection(a.FLOW_CONTROL),
    a.grow(0, 0x4000_0000),
    a.grow(0, 0x4000_0000),
  ),
  one(
    '6.9.1: the window of a stream is at most 2^31 - 1',
    stream(1, a.FLOW_CONTROL),
    get(1, '/wait'),
    a.grow(1, 0x7fff_ffff),
  ),
  one(
    '6.9.1: the window of a stream is at most 2^31 - 1, in steps',
    stream(1, a.FLOW_CONTROL),
    get(1, '/wait'),
    a.grow(1, 0x4000_0000),
    a.grow(1, 0x4000_0000),
  ),
  one(
    '6.9.1: no more is sent than the window of a stream takes',
    served(1, 'x'.repeat(30)),
    a.setting([4, 10]),
    acknowledged(2),
    get(1, '/cold/30'),
    received(1, 'x'.repeat(10)),
    a.grow(1, 5),
    received(1, 'x'.repeat(15)),
    a.grow(1, 15),
  ),
  one(
    '6.9.1: no more is taken than our window of a stream holds',
    connection(a.FLOW_CONTROL),
    post(1, [], '/wait'),
    ...Array.from({ length: 17 }, () => data(1, 'd'.repeat(16_384), 0)),
  ),
  one(
    '6.9.1: no more is taken than our window of the connection holds',
    connection(a.FLOW_CONTROL),
    ...[1, 3, 5, 7, 9].flatMap((id) => [
      post(id, [], '/wait'),
      ...Array.from({ length: 15 }, () => data(id, 'd'.repeat(16_384), 0)),
    ]),
  ),
  one(
    '6.9.2: a smaller initial window makes that of an open stream negative',
    served(1, 'x'.repeat(30)),
    a.setting([4, 10]),
    acknowledged(2),
    get(1, '/cold/30'),
    received(1, 'x'.repeat(10)),
    a.setting([4, 2]),
    acknowledged(3),
    a.grow(1, 8),
    a.grow(1, 20),
  ),
  one(
    '6.9.2: an initial window that makes the window of a stream too large',
    connection(a.FLOW_CONTROL),
    get(1, '/wait'),
    a.grow(1, 0x7fff_ffff - 65_535),
    a.setting([4, 65_536]),
  ),
  one(
    '6.9.3: a window of nothing still takes the head',
    ignored,
    a.setting([4, 0]),
    acknowledged(2),
    get(1, '/cold/5'),
    async (client) => {
      await client.until(({ type, stream: id }) => type === HEADERS && id === 1)
      if (client.body(1) !== '') throw new Error('a body was sent')
      client.send(a.grow(1, 5), a.setting([4, 65_535]))
      await client.end(1)
    },
  ),
  one(
    '6.10: CONTINUATION continues a block',
    served(),
    frame(HEADERS, END_STREAM, 1, PLAIN.subarray(0, 20)),
    frame(CONTINUATION, END_HEADERS, 1, PLAIN.subarray(20)),
  ),
  one(
    '6.10: CONTINUATION may be many, and empty',
    served(),
    frame(HEADERS, END_STREAM, 1, Buffer.alloc(0)),
    frame(CONTINUATION, 0, 1, PLAIN.subarray(0, 9)),
    frame(CONTINUATION, 0, 1, Buffer.alloc(0)),
    frame(CONTINUATION, END_HEADERS, 1, PLAIN.subarray(9)),
  ),
  one(
    '6.10: CONTINUATION of another stream',
    connection(a.PROTOCOL),
    frame(HEADERS, END_STREAM, 1, PLAIN),
    frame(CONTINUATION, END_HEADERS, 3, Buffer.alloc(0)),
  ),
  one(
    '6.10: CONTINUATION of stream 0',
    connection(a.PROTOCOL),
    frame(HEADERS, END_STREAM, 1, PLAIN),
    frame(CONTINUATION, END_HEADERS, 0, Buffer.alloc(0)),
  ),
  one(
    '6.10: CONTINUATION behind END_HEADERS',
    connection(a.PROTOCOL),
    get(1, '/wait'),
    frame(CONTINUATION, END_HEADERS, 1, PLAIN),
  ),
  one(
    '6.10: CONTINUATION behind its own END_HEADERS',
    connection(a.PROTOCOL),
    frame(HEADERS, END_STREAM, 1, PLAIN.subarray(0, 9)),
    frame(CONTINUATION, END_HEADERS, 1, PLAIN.subarray(9)),
    frame(CONTINUATION, END_HEADERS, 1, Buffer.alloc(0)),
  ),
  one(
    '6.10: CONTINUATION behind DATA',
    connection(a.PROTOCOL),
    post(),
    data(1, 'a', 0),
    frame(CONTINUATION, END_HEADERS, 1, PLAIN),
  ),
  one(
    '10.5.1: a block that never ends',
    connection(a.CALM),
    frame(HEADERS, END_STREAM, 1, PLAIN),
    ...Array.from({ length: 20 }, () => frame(CONTINUATION, 0, 1, Buffer.alloc(0))),
  ),
]
