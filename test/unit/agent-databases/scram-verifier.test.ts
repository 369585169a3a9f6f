import { describe, expect, it } from 'vitest'
import { scramVerifier } from '#adapters/node/agent/databases/postgresql/scram-verifier.ts'

describe('SCRAM verifiers', () => {
  it('are what PostgreSQL computes', () => {
    // Password and salt of RFC 7677, section 3, whose exchange these keys verify.
    const salt = Buffer.from('W22ZaJ0SNY7soEsUEjb6gQ==', 'base64')
    expect(scramVerifier('pencil', salt)).toBe(
      'SCRAM-SHA-256$4096:W22ZaJ0SNY7soEsUEjb6gQ==$WG5d8oPm3OtcPnkdi4Uo7BkeZkBFzpcXkuLmtbsT4qY=:wfPLwcE6nTWhTAmQ7tl2KeoiWGPlZqQxSrmfPwDl2dU=',
    )
  })

  it('have a salt of their own each', () => {
    expect(scramVerifier('pencil')).not.toBe(scramVerifier('pencil'))
  })

  it.each(['ﬁ', 'Ａ', 'a\u00ADb', 'a\u00A0b', 'e\u0301'])(
    'are refused for %j, which programs prepare differently',
    (password) => {
      expect(() => scramVerifier(password)).toThrow(/different ways/)
    },
  )

  it.each(['ä ö', `'"\\%_`, 'пароль', '密码', '😀'])('take %j as it is', (password) => {
    expect(scramVerifier(password)).toMatch(
      /^SCRAM-SHA-256\$4096:[\w+/]{22}==\$[\w+/]{43}=:[\w+/]{43}=$/,
    )
  })
})
