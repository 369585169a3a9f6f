import { Secret } from 'otpauth'
import { expect, test } from 'vitest'
import { newRecoveryCode, normalRecoveryCode } from '#handlers/domain/access/recovery-code.ts'
import { newTotpSecret, totpStep, totpUrl } from '#handlers/domain/access/totp.ts'

/** RFC 6238, appendix B: the SHA-1 key, its times, and the last six digits of its codes. */
const SECRET = Secret.fromUTF8('12345678901234567890').base32

test.each([
  [59, '287082'],
  [1_111_111_109, '081804'],
  [1_234_567_890, '005924'],
  [2_000_000_000, '279037'],
])('at %d s the code is %s', (secs, code) => {
  const step = Math.floor(secs / 30)
  expect(totpStep(SECRET, code, secs * 1000)).toBe(step)
  expect(totpStep(SECRET, ` ${code.slice(0, 3)} ${code.slice(3)}`, secs * 1000)).toBe(step)
  // One step of tolerance either way, and the step is the code's own.
  expect(totpStep(SECRET, code, (secs + 30) * 1000)).toBe(step)
  expect(totpStep(SECRET, code, (secs - 30) * 1000)).toBe(step)
  expect(totpStep(SECRET, code, (secs + 61) * 1000)).toBeNull()
  expect(totpStep(SECRET, code, (secs - 61) * 1000)).toBeNull()
})

test.each(['', '12345', '1234567', 'abcdef', '١٢٣٤٥٦', '28708２'])('%j is no code', (code) => {
  expect(totpStep(SECRET, code, 59_000)).toBeNull()
})

test('secrets have 160 bits and differ; names are escaped in the URL', () => {
  const one = newTotpSecret()
  expect(Secret.fromBase32(one).bytes).toHaveLength(20)
  expect(newTotpSecret()).not.toBe(one)
  expect(totpUrl(one, 'a&b=c?')).toContain('Berth:a%26b%3Dc%3F?issuer=Berth')
})

test('recovery codes differ and are read however they are typed', () => {
  const code = newRecoveryCode()
  expect(code).toMatch(/^([0-9a-hjkmnp-tv-z]{4}-){3}[0-9a-hjkmnp-tv-z]{4}$/)
  expect(newRecoveryCode()).not.toBe(code)
  const plain = code.replaceAll('-', '')
  expect(normalRecoveryCode(` ${code.toUpperCase()} `)).toBe(plain)
  expect(normalRecoveryCode(plain)).toBe(plain)
  expect(normalRecoveryCode('123456')).toBeNull()
})
