import { ODD_FIELDS } from './odd-fields.ts'
import type { Random } from './random.ts'

const BYTES = [
  '\r',
  '\n',
  '\0',
  ' ',
  '\t',
  '\x80',
  '\xff',
  '\x7f',
  ':',
  ';',
  ',',
  '\x0b',
  '\x0c',
  '\x1b',
  '"',
  '/',
  '#',
]
const METHODS = [
  'POST',
  'get',
  'GETX',
  'G',
  '',
  'PUT',
  'DELETE',
  'OPTIONS',
  'TRACE',
  'CONNECT',
  'PRI',
  'BREW',
  'HEADER',
  'GET\t',
  ' GET',
]
const VERSIONS = [
  'HTTP/1.0',
  'HTTP/0.9',
  'HTTP/1.2',
  'HTTP/2.0',
  'HTTP/11',
  'HTTP/1.10',
  'HTTP/01.1',
  'http/1.1',
  'HTTP/1.1 ',
  ' HTTP/1.1',
  'HTTP/1,1',
  'HTTP/1.1\t',
  'ICE/1.0',
  '',
]
const TARGETS = [
  'http://example.com/',
  'http://other.test/x',
  'https://u@a.test/',
  '*',
  'a.test:80',
  '/a b',
  '/#f',
  '/\\x',
  '/\xe4',
  '/\0',
  '//a.test/',
  '/"<>',
  '/a HTTP/1.1\r\nHost: b',
  '',
  '?',
  '/%00',
]
const HOSTS = [
  '',
  'a.test:',
  'a.test:80:81',
  'a.test:99999',
  'a.test:0',
  'u@a.test',
  'a.test/x',
  'a.test, b.test',
  'a..test',
  '[::1]',
  '[::1',
  'a.test\t',
  '\ta.test',
  'a_b.test',
  'a.test:8\xb2',
  'a test',
]
const ENDS = ['\n', '\r', '\r\r\n', '\n\r', '\r\n\r\n', '\r\n ', '\r\n\t', '\n\n', '']

const BLANKS = ['\t', '  ', '\x0b', ' \t', '\xa0', '\r']

const lineEnds = (text: string): number[] => [...text.matchAll(/\r\n/g)].map(({ index }) => index)

type Mutation = (random: Random, text: string) => string

/** Puts `piece` in the place of `length` characters at `at`. */
const put = (text: string, at: number, length: number, piece: string): string =>
  text.slice(0, at) + piece + text.slice(at + length)

/** Replaces what `pattern` finds first. */
const swap =
  (pattern: RegExp, pieces: readonly string[]): Mutation =>
  (random, text) =>
    text.replace(pattern, () => random.pick(pieces))

const onLine =
  (work: (random: Random, lines: string[], at: number) => void): Mutation =>
  (random, text) => {
    const lines = text.split('\r\n')
    work(random, lines, random.below(Math.max(1, lines.length - 2)))
    return lines.join('\r\n')
  }

const MUTATIONS: readonly Mutation[] = [
  (random, text) => {
    const at = random.below(text.length)
    return put(text, at, 1, String.fromCharCode(text.charCodeAt(at) ^ (1 << random.below(8))))
  },
  (random, text) => put(text, random.below(text.length + 1), 0, random.pick(BYTES)),
  (random, text) => put(text, random.below(text.length), 1, random.pick(BYTES)),
  (random, text) => put(text, random.below(text.length), 1, ''),
  (random, text) => put(text, random.pick([0, ...lineEnds(text)]), 2, random.pick(ENDS)),
  (random, text) =>
    put(text, random.pick([0, ...lineEnds(text)]), 0, random.pick([' ', '\t', '\r', '\n', '\0'])),
  onLine((_random, lines, at) => lines.splice(at, 0, lines[at] ?? '')),
  onLine((_random, lines, at) => lines.splice(at, 1)),
  onLine((random, lines, at) => lines.splice(at, 0, random.pick(ODD_FIELDS))),
  onLine((random, lines, at) => {
    lines[at] = (lines[at] ?? '').replace(':', () =>
      random.pick([' :', '\t:', '', '::', ':\r\n ', ':\0']),
    )
  }),
  onLine((random, lines, at) => {
    lines[at] = random.chance(0.5)
      ? (lines[at] ?? '').toUpperCase()
      : (lines[at] ?? '').toLowerCase()
  }),
  onLine((random, lines, at) => {
    lines[at] += random.pick([' ', '\t', ' \t ', '\0', '\x7f'])
  }),
  swap(/^[^ ]*/, METHODS),
  swap(/ /, BLANKS),
  swap(/(?<=^\S* \S*) /, BLANKS),
  swap(/HTTP\/1\.1/, VERSIONS),
  swap(/(?<=^[^ ]* )[^ ]*/, TARGETS),
  swap(/(?<=\r\nHost: )[^\r]*/, HOSTS),
]

/** The request with one thing done to it that clients do not do. */
export const mutateHead = (random: Random, text: string): string =>
  text === '' ? random.pick(BYTES) : random.pick(MUTATIONS)(random, text)
