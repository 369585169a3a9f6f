import { describe, expect, test } from 'vitest'
import { createArgon2Passwords } from '#adapters/node/store/argon2-passwords.ts'
import { createPbkdf2Passwords } from '#adapters/worker/pbkdf2-passwords.ts'

describe.each([
  ['argon2id', createArgon2Passwords(), /^\$argon2id\$/],
  ['PBKDF2', createPbkdf2Passwords(), /^pbkdf2-sha256\$100000\$/],
] as const)('passwords: %s', (_, passwords, shape) => {
  test('hashes with a fresh salt and verifies', async () => {
    const one = await passwords.hash('correct horse ä')
    const two = await passwords.hash('correct horse ä')
    expect(one).toMatch(shape)
    expect(one).not.toBe(two)
    expect(await passwords.verify(one, 'correct horse ä')).toBe(true)
    expect(await passwords.verify(one, 'correct horse')).toBe(false)
    expect(await passwords.verify(one, '')).toBe(false)
  })

  test.each(['', 'x', 'pbkdf2-sha256$100000$$', '$argon2id$v=19$'])(
    'an unreadable hash %j fits nothing',
    async (stored) => {
      expect(await passwords.verify(stored, '')).toBe(false)
      expect(await passwords.verify(stored, 'x')).toBe(false)
    },
  )
})
