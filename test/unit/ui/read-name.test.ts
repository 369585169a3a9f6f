import { expect, test } from 'vitest'
import { readName } from '../../../src/lib/format/read-name.ts'

test.each([
  ['xn--bcher-kva.example', 'bücher.example'],
  ['www.xn--bcher-kva.example', 'www.bücher.example'],
  ['XN--BCHER-KVA.example', 'bücher.example'],
  ['xn--fiqs8s.example', '中国.example'],
  ['shop.example', null],
  ['my-xn--shop.example', null],
  ['xn--.example', null],
  ['xn--99999999999.example', null],
  // A mark of direction before the letters.
  ['xn--abc-ln0a.example', null],
])('%s', (name, read) => {
  expect(readName(name)).toEqual(read)
})
