import { describe, expect, test } from 'vitest'
import { checkHash } from '#adapters/node/web-server/auth/check-hash.ts'

/** As `openssl passwd -5` and `-6` write them. */
const KNOWN: [password: string, hash: string][] = [
  [
    'sixsecret',
    '$6$abcdefgh$VGnIKsqcSViME2bEPqjDv2WOm1AWsXLnrPysCmwXxfMtpsl79LFUgyKg63lb72449mNBOBjAX.HtrPIe6WIx80',
  ],
  [
    'a long passphrase that goes on beyond sixty-four bytes of one block',
    '$5$ab$Lfv9qCveswfVZNyy7p1sE7nMDkQEdFJ7e15QMCMxu7D',
  ],
  ['p', '$5$rounds=2000$salt$CD.fVnLenS2rZoH.GQ0x6XMUn5E9EOZeskivHM8gGu0'],
  [
    'grüße',
    '$6$rounds=1500$0123456789abcdef$I2umwZDwDAUWS.78bhSo8vAx16N7w3NLjwpP3HMgrqG3kjMxK0y4PejSG2aT7zmE7JpUDNjrlsQ2boDv52I6v1',
  ],
  [
    'a passphrase so long that it needs more than one block of one hundred and twenty-eight bytes, which few people have the patience to type',
    '$6$x$CbBouIPqazwM2oBrVJZlOy1f9Y.3YO/TUBhoCJ03.NlDFLm8bv99BkaqCZVZ4k5Ikq9iQY8r2DbgDgGMiHAk10',
  ],
  // As long as a digest, where many an implementation goes wrong.
  ['x'.repeat(32), '$5$blocks$NQgjD4Y3m8JttOzbrtXVgSizWd895eAUOtmMk2x/hw2'],
  [
    'x'.repeat(64),
    '$6$blocks$nRuFt6Nev.mwLrVhNOrbcqATc0sC8zBfXe13D1nYvmNtjKSCA8eSjCT.P6eiN6ZWd4KOqiwkyGxmmV/KdpqZ3/',
  ],
]

/** As `openssl passwd -apr1` and `-1` write them. */
const KNOWN_MD5: [password: string, hash: string][] = [
  ['secret', '$apr1$abcdefgh$h9FWgUz3n9YxylKLlR5SQ/'],
  ['grüße', '$apr1$abc$KpZrrdIIA0P7fULltZq5S.'],
  ['x'.repeat(33), '$1$saltsalt$OeHTEISkrBObtXUUAvfrp0'],
]

test.each(KNOWN_MD5)('MD5 line of a password file: %s', (password, hash) => {
  expect(checkHash(password, hash)).toBe(true)
  expect(checkHash(`${password}x`, hash)).toBe(false)
  expect(checkHash('', hash)).toBe(false)
})

describe('SHA-crypt lines of password files', () => {
  test.each(KNOWN)('%s', (password, hash) => {
    expect(checkHash(password, hash)).toBe(true)
    expect(checkHash(`${password}x`, hash)).toBe(false)
    expect(checkHash('', hash)).toBe(false)
    expect(checkHash(password, hash.slice(0, -1))).toBe(false)
  })

  test('settings that are none, or ask for too much work, match nothing', () => {
    for (const hash of [
      '$6$',
      '$6$salt$',
      '$5$salt',
      '$6$rounds=999999999$salt$abc',
      '$7$salt$abc',
    ]) {
      expect(checkHash('', hash), hash).toBe(false)
      expect(checkHash('password', hash), hash).toBe(false)
    }
  })
})
