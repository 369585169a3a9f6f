import { expect, test } from 'vitest'
import { readAccepted } from '#cli/swap/read-accepted.ts'

const url = 'http://shop.test/old/page'
const what = '200 became 404'

test.each([
  ['the line that was shown', `${url}: ${what}`, true],
  ['the line that was shown, indented', `  ${url}: ${what}  `, true],
  ['another difference there', `${url}: 301 became 404`, false],
  ['the address alone', url, true],
  ['another address', `${url}s`, false],
  ['addresses that begin so', 'http://shop.test/old/*', true],
  ['other addresses that begin so', 'https://shop.test/old/*', false],
  ['nothing', '', false],
  ['a remark', `# ${url}`, false],
])('%s', (_, text, accepted) => {
  expect(readAccepted(`# known\n${text}\n`)({ url, what })).toBe(accepted)
})

test('what is no address is refused, with its line', () => {
  expect(() => readAccepted('\nshop.test/old')).toThrow(/Line 2 of --accept is no address/)
})
