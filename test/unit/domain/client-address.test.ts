import { describe, expect, test } from 'vitest'
import { clientAddress, countedAddress } from '#handlers/domain/text/client-address.ts'

describe('clientAddress', () => {
  test.each([
    ['192.0.2.1', '203.0.113.9', [], '192.0.2.1'],
    ['10.0.0.1', null, ['10.0.0.0/8'], '10.0.0.1'],
    ['10.0.0.1', '203.0.113.9', ['10.0.0.0/8'], '203.0.113.9'],
    ['10.0.0.1', '1.1.1.1, 203.0.113.9', ['10.0.0.0/8'], '203.0.113.9'],
    ['10.0.0.1', '203.0.113.9, 10.9.9.9', ['10.0.0.0/8'], '203.0.113.9'],
    ['10.0.0.1', '203.0.113.9, garbage', ['10.0.0.0/8'], '10.0.0.1'],
    ['::ffff:10.0.0.1', '203.0.113.9', ['10.0.0.1'], '203.0.113.9'],
    ['::1', '2001:DB8::1', ['::1'], '2001:db8::1'],
    ['10.0.0.1', '203.0.113.9', ['not a block'], '10.0.0.1'],
  ])('%s with %s behind %j is %s', (socket, forwarded, proxies, expected) => {
    expect(clientAddress(socket, forwarded, proxies)).toBe(expected)
  })
})

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['::ffff:192.0.2.1', '::ffff:192.0.2.1'],
  ['unknown', 'unknown'],
])('brute force from %s counts for %s', (address, expected) => {
  expect(countedAddress(address)).toBe(expected)
})
