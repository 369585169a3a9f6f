import { describe, expect, it } from 'vitest'
import {
  createDatabaseStatement,
  openStatements,
  quoteIdentifier,
  quoteVerifier,
  roleStatements,
  shareStatement,
} from '#adapters/node/agent/databases/postgresql/statements.ts'

describe('PostgreSQL statements', () => {
  it('quotes what comes from outside', () => {
    expect(quoteIdentifier('a"; DROP')).toBe('"a""; DROP"')
    expect(createDatabaseStatement('a"b')).toContain('DATABASE "a""b" ')
    for (const bad of ["'", '\\', ';', '\n', '"']) expect(() => quoteVerifier(bad)).toThrow()
  })

  it('gives a role nothing that reaches out of its database', () => {
    const text = [...roleStatements('u', 'v'), ...openStatements('d', 'u')].join('\n')
    for (const word of ['SUPERUSER', 'CREATEDB', 'CREATEROLE', 'REPLICATION', 'BYPASSRLS'])
      expect(text.match(new RegExp(`\\b${word}\\b`))).toBeNull()
    expect(text).toContain(
      'NOSUPERUSER NOCREATEDB NOCREATEROLE NOINHERIT NOREPLICATION NOBYPASSRLS',
    )
    expect(text).not.toMatch(/\bpg_|WITH GRANT OPTION|OWNER/)
    expect(text).toContain('REVOKE ALL ON DATABASE "d" FROM PUBLIC')
  })

  it('shares connections out, at least one each', () => {
    expect(shareStatement('u', 4)).toMatch(/ 7$/)
    expect(shareStatement('u', 500)).toMatch(/ 1$/)
  })
})
