import {
  CONTINUATION,
  DATA,
  END_HEADERS,
  END_STREAM,
  fields,
  frame,
  HEADERS,
  PING,
  pseudo,
  RST_STREAM,
  SETTINGS,
} from '../h2-frames.ts'
import * as a from './case.ts'

const { one, get, post, data, connection, served, ignored, stream } = a
const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')
const EMPTY = Buffer.alloc(0)
const starting = (rule: string, outcome: a.Outcome, opening: Buffer): a.Rfc9113Case => ({
  rule,
  outcome,
  steps: [],
  opening,
})
const first = (what: string, bytes: Buffer): a.Rfc9113Case =>
  starting(
    `3.4: the first frame is SETTINGS, not ${what}`,
    connection(a.PROTOCOL),
    Buffer.concat([PREFACE, bytes]),
  )
/** The head of a request whose block is not whole. */
const begun = (id = 1): Buffer =>
  frame(HEADERS, END_STREAM, id, fields(pseudo('a.test', '/cold/1')))
const between = (what: string, bytes: Buffer): a.Rfc9113Case =>
  one(
    `4.3: nothing comes between the frames of a header block, not ${what}`,
    connection(a.PROTOCOL),
    begun(),
    bytes,
  )
const broken = (what: string, ...bytes: number[]): a.Rfc9113Case =>
  one(
    `4.3: a header block that cannot be decoded ends the connection: ${what}`,
    connection(a.COMPRESSION),
    a.block(Buffer.from(bytes)),
  )
const idle = (what: string, bytes: Buffer): a.Rfc9113Case =>
  one(
    `5.1: on an idle stream nothing comes but HEADERS and PRIORITY, not ${what}`,
    connection(a.PROTOCOL),
    bytes,
  )

/** Preface, frames and header blocks: sections 3 and 4. */
export const FRAMING: readonly a.Rfc9113Case[] = [
  starting(
    '3.4: what is no preface ends the connection',
    connection(a.PROTOCOL),
    Buffer.from('GET / HTTP/1.1\r\nHost: a.test\r\n\r\n'),
  ),
  starting(
    '3.4: a preface with one wrong byte ends the connection',
    connection(a.PROTOCOL),
    Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r '),
  ),
  starting(
    '3.4: SETTINGS may be empty',
    ignored,
    Buffer.concat([PREFACE, frame(SETTINGS, 0, 0, EMPTY)]),
  ),
  first('its acknowledgement', frame(SETTINGS, a.ACK, 0, EMPTY)),
  first('HEADERS', get()),
  first('PING', frame(PING, 0, 0, Buffer.alloc(8))),
  first('WINDOW_UPDATE', a.grow(0, 1)),
  first('PRIORITY', frame(a.PRIORITY, 0, 1, Buffer.alloc(5))),
  first('an unknown one', frame(0xbe, 0, 0, EMPTY)),
  one('4.1: an unknown type is ignored', ignored, frame(0xbe, 0xff, 0, Buffer.alloc(100))),
  one(
    '4.1: an unknown type on an idle stream is ignored',
    ignored,
    frame(0xbe, 0xff, 7, Buffer.alloc(100)),
  ),
  one(
    '4.1: an unknown type on an open stream is ignored',
    served(1, 'abc'),
    post(),
    frame(0xbe, 1, 1, Buffer.alloc(9)),
    data(1, 'abc'),
  ),
  one(
    '4.1: unknown flags of HEADERS are ignored',
    served(),
    frame(HEADERS, END_STREAM | END_HEADERS | 0xd2, 1, fields(pseudo('a.test', '/cold/1'))),
  ),
  one(
    '4.1: unknown flags of DATA are ignored',
    served(1, 'abc'),
    post(),
    data(1, 'abc', END_STREAM | 0xf6),
  ),
  one('4.1: unknown flags of SETTINGS are ignored', ignored, frame(SETTINGS, 0xfe, 0, EMPTY)),
  one(
    '4.1: unknown flags of WINDOW_UPDATE are ignored',
    ignored,
    frame(a.WINDOW_UPDATE, 0xff, 0, a.number(1)),
  ),
  one(
    '4.1: the reserved bit of a stream is ignored',
    served(),
    ((): Buffer => {
      const bytes = get()
      bytes.writeUInt32BE(0x8000_0001, 5)
      return bytes
    })(),
  ),
  one(
    '4.2: DATA of 16,384 bytes is taken',
    served(1, 'd'.repeat(16_384)),
    post(),
    data(1, 'd'.repeat(16_384)),
  ),
  one(
    '4.2: DATA longer than SETTINGS_MAX_FRAME_SIZE',
    connection(a.FRAME_SIZE),
    post(),
    data(1, 'd'.repeat(16_385)),
  ),
  one(
    '4.2: HEADERS longer than SETTINGS_MAX_FRAME_SIZE',
    connection(a.FRAME_SIZE),
    a.block(Buffer.alloc(16_385, 0x82)),
  ),
  one(
    '4.2: SETTINGS longer than SETTINGS_MAX_FRAME_SIZE',
    connection(a.FRAME_SIZE),
    frame(SETTINGS, 0, 0, Buffer.alloc(16_386)),
  ),
  one(
    '4.2: an unknown frame longer than SETTINGS_MAX_FRAME_SIZE',
    connection(a.FRAME_SIZE),
    frame(0xbe, 0, 0, Buffer.alloc(20_000)),
  ),
  broken('an index of zero', 0x80),
  broken('an index beyond the tables', 0xff, 0x80, 0x01),
  broken('a name beyond the tables', 0x7f, 0x80, 0x01, 0x01, 0x61),
  broken('a text that ends too early', 0x00, 0x05, 0x61),
  broken('a number that never ends', 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01),
  broken('a Huffman code padded with more than seven bits', 0x00, 0x82, 0x1f, 0xff, 0x01, 0x61),
  broken('a Huffman code padded with zeros', 0x00, 0x81, 0x18, 0x01, 0x61),
  broken('a Huffman code with EOS', 0x00, 0x84, 0xff, 0xff, 0xff, 0xff, 0x01, 0x61),
  broken('a table larger than allowed', 0x3f, 0xe2, 0x1f),
  broken('a table that changes within the block', 0x82, 0x20),
  between('DATA', data(1, 'a')),
  between('HEADERS of the same stream', get(1)),
  between('HEADERS of another stream', get(3)),
  between('PING', frame(PING, 0, 0, Buffer.alloc(8))),
  between('PRIORITY', frame(a.PRIORITY, 0, 1, Buffer.alloc(5))),
  between('RST_STREAM', a.reset(1)),
  between('SETTINGS', frame(SETTINGS, 0, 0, EMPTY)),
  between('WINDOW_UPDATE', a.grow(0, 1)),
  between('an unknown frame', frame(0xbe, 0, 1, EMPTY)),
  one(
    '4.3: the block of a stream that is reset still changes the table',
    served(3),
    a.block(
      Buffer.concat([
        fields(pseudo('a.test', '/cold/1')),
        Buffer.from([0x40, 1, 0x79, 1, 0x7a]),
        fields([['Bad', 'x']]),
      ]),
    ),
    a.block(Buffer.concat([fields(pseudo('a.test', '/cold/1')), Buffer.from([0xbe])]), 3),
  ),
]

const STATES: readonly [what: string, steps: readonly a.Step[]][] = [
  ['half-closed', [get(1, '/wait')]],
  ['answered', [get(), a.ended(1)]],
  ['answered beside the session', [get(1, '/page/1'), a.ended(1)]],
  ['reset by its client', [get(1, '/wait'), a.reset(1)]],
]
const inState = ([what, steps]: (typeof STATES)[number]): a.Rfc9113Case[] => {
  const then = (name: string, outcome: a.Outcome, bytes: Buffer): a.Rfc9113Case =>
    one(`5.1: ${name} on a stream that is ${what}`, outcome, ...steps, bytes)
  return [
    then('DATA', connection(a.STREAM_CLOSED), data(1, 'a')),
    then('empty DATA', connection(a.STREAM_CLOSED), data(1, '')),
    then('HEADERS', connection(a.STREAM_CLOSED), get()),
    then('CONTINUATION', connection(a.PROTOCOL), frame(CONTINUATION, END_HEADERS, 1, EMPTY)),
    then('WINDOW_UPDATE', ignored, a.grow(1, 100)),
    then('PRIORITY', ignored, frame(a.PRIORITY, 0, 1, Buffer.alloc(5))),
    then('RST_STREAM', ignored, a.reset(1)),
  ]
}
const MALFORMED = frame(
  HEADERS,
  END_HEADERS,
  1,
  fields([...pseudo('a.test', '/echo', 'POST'), ['Bad', 'x']]),
)
const TO_US = [get(2), data(2, 'a'), a.reset(2), a.grow(2, 1)]

/** Streams: section 5. */
export const STREAMS: readonly a.Rfc9113Case[] = [
  idle('DATA', data(1, 'a')),
  idle('RST_STREAM', a.reset(1)),
  idle('WINDOW_UPDATE', a.grow(1, 1)),
  idle('CONTINUATION', frame(CONTINUATION, END_HEADERS, 1, fields(pseudo('a.test')))),
  one(
    '5.1: PRIORITY may come on an idle stream',
    ignored,
    frame(a.PRIORITY, 0, 9, Buffer.alloc(5)),
  ),
  ...STATES.flatMap(inState),
  ...[
    data(1, 'late'),
    data(1, '', 0),
    frame(HEADERS, END_STREAM | END_HEADERS, 1, fields([['x', 'y']])),
    a.grow(1, 5),
    a.reset(1),
  ].map((late, at) =>
    one(
      `5.1: what was under way to a stream that we reset is ignored (${at})`,
      ignored,
      MALFORMED,
      a.ended(1),
      late,
    ),
  ),
  ...TO_US.map((bytes, at) =>
    one(`5.1.1: a client has no streams with even numbers (${at})`, connection(a.PROTOCOL), bytes),
  ),
  one('5.1.1: numbers only grow', connection(a.PROTOCOL), get(5), a.ended(5), get(3)),
  one(
    '5.1.1: numbers only grow, also beside the session',
    connection(a.PROTOCOL),
    get(5, '/page/1'),
    a.ended(5),
    get(3, '/page/1'),
  ),
  one('5.1.1: numbers may be left out', served(101), get(1), a.ended(1), get(101)),
  one('5.1.1: the highest number is the last', served(0x7fff_ffff), get(0x7fff_ffff)),
  one(
    '5.1.2: more streams than allowed are refused',
    stream(257, a.PROTOCOL, a.REFUSED),
    ...Array.from({ length: 129 }, (_, at) => get(1 + 2 * at, '/wait')),
    a.ended(257),
    a.reset(1),
  ),
  one(
    '5.3.1 of RFC 7540: PRIORITY that depends on itself',
    connection(a.PROTOCOL),
    get(1, '/wait'),
    frame(a.PRIORITY, 0, 1, Buffer.from([0, 0, 0, 1, 0])),
  ),
  one(
    '5.3.1 of RFC 7540: HEADERS that depend on themselves',
    connection(a.PROTOCOL),
    frame(
      HEADERS,
      END_STREAM | END_HEADERS | a.HAS_PRIORITY,
      1,
      Buffer.concat([Buffer.from([0, 0, 0, 1, 0]), fields(pseudo('a.test', '/cold/1'))]),
    ),
  ),
  one(
    '5.3.2: a priority of HEADERS is ignored',
    served(),
    frame(
      HEADERS,
      END_STREAM | END_HEADERS | a.HAS_PRIORITY,
      1,
      Buffer.concat([Buffer.from([0x80, 0, 0, 0, 255]), fields(pseudo('a.test', '/cold/1'))]),
    ),
  ),
  one(
    '5.4.2: a stream that is reset with an unknown code is gone',
    ignored,
    get(1, '/wait'),
    a.reset(1, 0xbeef),
  ),
  one(
    '5.5: an unknown frame cannot be within a header block',
    connection(a.PROTOCOL),
    begun(),
    frame(0xfe, 0, 0, EMPTY),
  ),
  one(
    '5.1: an answer to an open stream comes before its request ends',
    served(1, 'abc'),
    post(),
    data(1, 'a', 0),
    data(1, 'b', 0),
    data(1, 'c'),
  ),
  one(
    '5.1: RST_STREAM takes an open request back',
    ignored,
    post(),
    frame(RST_STREAM, 0, 1, a.number(a.CANCEL)),
  ),
  one(
    '5.1: DATA behind RST_STREAM of an open request',
    connection(a.STREAM_CLOSED),
    post(),
    a.reset(1),
    frame(DATA, 0, 1, Buffer.from('a')),
  ),
]
