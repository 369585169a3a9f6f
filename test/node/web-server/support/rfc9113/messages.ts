import {
  END_HEADERS,
  END_STREAM,
  fields,
  frame,
  HEADERS,
  pseudo,
  type Field,
} from '../h2-frames.ts'
import * as a from './case.ts'

const { one, get, post, data, served, stream, refused } = a
const ALL = pseudo('a.test', '/cold/1')
const without = (name: string): Field[] => ALL.filter(([own]) => own !== name)
const malformed = (what: string, name: string, value = 'x'): a.Rfc9113Case =>
  one(
    `8.2.1: a request is malformed by ${what}`,
    stream(1, a.PROTOCOL),
    get(1, '/cold/1', [[name, value]]),
  )
const pages = (what: string, name: string, value: string): a.Rfc9113Case =>
  one(
    `8.2.1: a request is malformed by ${what}, also where a page is ready`,
    stream(1, a.PROTOCOL),
    get(1, '/page/1', [[name, value]]),
  )
const trailers = (list: readonly Field[], flags = END_STREAM | END_HEADERS): Buffer =>
  frame(HEADERS, flags, 1, fields(list))
const said = (length: string, more: readonly Field[] = []): Buffer =>
  post(1, [['content-length', length], ...more])

const VALUES: readonly [what: string, value: string][] = [
  ['CR in a value', 'a\rb'],
  ['LF in a value', 'a\nb'],
  ['NUL in a value', 'a\0b'],
  ['a line end in a value', 'a\r\nb: c'],
  ['CR at the end of a value', 'a\r'],
  ['LF at the beginning of a value', '\na'],
  ['NUL alone', '\0'],
  ['a blank before a value', ' a'],
  ['a tab before a value', '\ta'],
  ['a blank behind a value', 'a '],
  ['a tab behind a value', 'a\t'],
  ['a value that is a blank', ' '],
]
const NAMES: readonly [what: string, name: string][] = [
  ['a capital in a name', 'Name'],
  ['a blank in a name', 'a b'],
  ['a line end in a name', 'a\r\nb'],
  ['NUL in a name', 'a\0'],
  ['a tab in a name', 'a\tb'],
  ['DEL in a name', 'a\x7f'],
  ['a name beyond ASCII', 'a\xe4'],
  ['a colon in a name', 'a:b'],
  ['an empty name', ''],
]
const CONNECTION: readonly [name: string, value: string][] = [
  ['connection', 'close'],
  ['keep-alive', 'timeout=5'],
  ['proxy-connection', 'keep-alive'],
  ['transfer-encoding', 'chunked'],
  ['upgrade', 'h2c'],
  ['te', 'gzip'],
  ['te', 'trailers, deflate'],
]

/** Requests: section 8. */
export const MESSAGES: readonly a.Rfc9113Case[] = [
  one(
    '8.1: a request may have trailers',
    served(1, 'abc'),
    post(),
    data(1, 'abc', 0),
    trailers([['x', 'y']]),
  ),
  one(
    '8.1: trailers end the stream',
    stream(1, a.PROTOCOL),
    post(),
    data(1, 'abc', 0),
    trailers([['x', 'y']], END_HEADERS),
  ),
  one('8.1: trailers may follow the head at once', served(1, ''), post(), trailers([['x', 'y']])),
  one(
    '8.1: nothing follows trailers',
    a.connection(a.STREAM_CLOSED),
    post(1, [], '/wait'),
    trailers([['x', 'y']]),
    trailers([['x', 'y']]),
  ),
  one(
    '8.1: trailers hold no pseudo-header fields',
    stream(1, a.PROTOCOL),
    post(),
    trailers([[':path', '/']]),
  ),
  one(
    '8.1: trailers are malformed by a line end',
    stream(1, a.PROTOCOL),
    post(),
    trailers([['x', 'a\r\nb']]),
  ),
  one(
    '8.1: trailers are malformed by a capital',
    stream(1, a.PROTOCOL),
    post(),
    trailers([['X', 'y']]),
  ),
  one(
    '8.1.1: content is as long as it says',
    served(1, 'abc'),
    said('3'),
    data(1, 'a', 0),
    data(1, 'bc'),
  ),
  one('8.1.1: content longer than it says', stream(1, a.PROTOCOL), said('2'), data(1, 'abc')),
  one('8.1.1: content shorter than it says', stream(1, a.PROTOCOL), said('4'), data(1, 'abc')),
  one(
    '8.1.1: content longer than it says, in two frames',
    stream(1, a.PROTOCOL),
    said('2'),
    data(1, 'ab', 0),
    data(1, 'c'),
  ),
  one(
    '8.1.1: content that is said and does not come',
    stream(1, a.PROTOCOL),
    get(1, '/cold/1', [['content-length', '3']]),
  ),
  one('8.1.1: no content may be said', served(), get(1, '/cold/1', [['content-length', '0']])),
  one('8.1.1: two lengths', refused(), said('3', [['content-length', '4']]), data(1, 'abc')),
  one('8.1.1: a length that is no number', refused(), said('3x'), data(1, 'abc')),
  ...NAMES.map(([what, name]) => malformed(what, name)),
  ...VALUES.map(([what, value]) => malformed(what, 'x', value)),
  ...VALUES.slice(0, 4).map(([what, value]) => pages(what, 'x', value)),
  malformed('CR in a cookie', 'cookie', 'a=b\r'),
  one(
    '8.2.1: a malformed field in the table is malformed again',
    stream(3, a.PROTOCOL),
    a.block(Buffer.concat([fields(ALL), Buffer.from([0x40, 1, 0x79, 3, 0x61, 0x0a, 0x62])])),
    a.block(Buffer.concat([fields(ALL), Buffer.from([0xbe])]), 3),
  ),
  one(
    '8.2.1: the same malformed block is malformed again',
    stream(3, a.PROTOCOL),
    get(1, '/page/1', [['x', 'a\nb']]),
    a.ended(1),
    get(3, '/page/1', [['x', 'a\nb']]),
  ),
  one('8.2.1: a value may be empty', served(), get(1, '/cold/1', [['x', '']])),
  one(
    '8.2.1: a value may hold blanks, tabs and bytes beyond ASCII',
    served(),
    get(1, '/cold/1', [['x', 'a \t\xe4']]),
  ),
  ...CONNECTION.map(([name, value]) =>
    one(
      `8.2.2: ${name}: ${value} is of a connection`,
      stream(1, a.PROTOCOL),
      get(1, '/cold/1', [[name, value]]),
    ),
  ),
  one('8.2.2: te may say trailers', served(), get(1, '/cold/1', [['te', 'trailers']])),
  one(
    '8.2.3: crumbs of a cookie are one',
    served(1, 'a=b; c=d'),
    get(1, '/cookie', [
      ['cookie', 'a=b'],
      ['cookie', 'c=d'],
    ]),
  ),
  one(
    '8.3: an unknown pseudo-header field',
    stream(1, a.PROTOCOL),
    a.list([...ALL, [':test', 'x']]),
  ),
  one(
    '8.3: a pseudo-header field of answers',
    stream(1, a.PROTOCOL),
    a.list([...ALL, [':status', '200']]),
  ),
  ...ALL.map((field) =>
    one(
      `8.3: ${field[0]} behind a plain field`,
      stream(1, a.PROTOCOL),
      a.list([...without(field[0]), ['x', 'y'], field]),
    ),
  ),
  ...ALL.map((field) =>
    one(`8.3.1: ${field[0]} twice`, stream(1, a.PROTOCOL), a.list([...ALL, field])),
  ),
  ...[':method', ':scheme', ':path'].map((name) =>
    one(`8.3.1: ${name} is missing`, stream(1, a.PROTOCOL), a.list(without(name))),
  ),
  one(
    '8.3.1: :path is not empty',
    stream(1, a.PROTOCOL),
    a.list([...without(':path'), [':path', '']]),
  ),
  one(
    '8.3.1: :path begins with a slash',
    refused(),
    a.list([...without(':path'), [':path', 'cold/1']]),
  ),
  one(
    '8.3.1: the asterisk is for OPTIONS',
    refused(),
    a.list([...without(':path'), [':path', '*']]),
  ),
  one(
    '8.3.1: OPTIONS may ask about the server',
    served(1, '*'),
    a.list([
      [':method', 'OPTIONS'],
      [':scheme', 'https'],
      [':authority', 'a.test'],
      [':path', '*'],
    ]),
  ),
  one(
    '8.3.1: host may stand for :authority',
    served(),
    a.list([...without(':authority'), ['host', 'a.test']]),
  ),
  one('8.3.1: host and :authority name the same', refused(), a.list([...ALL, ['host', 'b.test']])),
  one(
    '8.3.1: :authority has no user',
    refused(),
    a.list([...without(':authority'), [':authority', 'u@a.test']]),
  ),
  one('8.3.1: there is an authority', refused(), a.list(without(':authority'))),
  one(
    '8.5: CONNECT has no :scheme and :path',
    stream(1, a.PROTOCOL),
    a.list([...without(':method'), [':method', 'CONNECT']]),
  ),
  one('8.5: CONNECT needs an authority', refused(), a.list([[':method', 'CONNECT']])),
  one(
    '8.1: a method of one character',
    served(1, 'x'),
    a.list([...without(':method'), [':method', 'X']]),
  ),
]
