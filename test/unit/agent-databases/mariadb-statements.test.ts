import { describe, expect, it } from 'vitest'
import {
  createStatements,
  grantPattern,
  localUser,
  nativePasswordHash,
  quoteName,
} from '#adapters/node/agent/databases/mariadb/statements.ts'

describe('MariaDB statements', () => {
  it('quotes names and escapes wildcards in grants', () => {
    expect(quoteName('a`b')).toBe('`a``b`')
    expect(grantPattern('bob_x%')).toBe('`bob\\_x\\%`')
    expect(localUser('bob_x')).toBe("'bob_x'@'localhost'")
    expect(() => localUser("bob'@'%")).toThrow()
  })

  it('hashes as the server does', () => {
    // SELECT PASSWORD('password')
    expect(nativePasswordHash('password')).toBe('*2470C0C06DEE42FD1618BB99005ADCA2EC9D1E19')
  })

  it('puts no password into a statement and grants no way out', () => {
    const text = createStatements('bob_x', 'bob_x', 'plain text 1').join('\n')
    expect(text).not.toContain('plain text 1')
    expect(text).not.toMatch(/GRANT OPTION|SUPER|FILE|PROCESS|\*\.\*/)
  })
})
