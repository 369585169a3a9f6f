import { expect, test } from 'vitest'
import {
  databaseNameCandidates,
  prefixedDatabaseName,
} from '#handlers/domain/databases/database-name.ts'

test('a database name carries its account', () => {
  expect(prefixedDatabaseName('bob', 'x2_shop', 'db_name')).toBe('bob_x2_shop')
})

test.each(['', 'A', 'a-b', 'a%', 'a b', 'a`', "a'", 'a\n', 'a'.repeat(33)])(
  'refuses the name %j',
  (name) => {
    expect(() => prefixedDatabaseName('bob', name, 'db_name')).toThrow(
      expect.objectContaining({ status: 400, field: 'db_name' }),
    )
  },
)

test('a name in a URL may be short or full', () => {
  expect(databaseNameCandidates('bob', 'shop')).toEqual(['bob_shop'])
  expect(databaseNameCandidates('bob', 'bob_shop')).toEqual(['bob_shop', 'bob_bob_shop'])
  // `bob` never reaches what belongs to `bob2`.
  expect(databaseNameCandidates('bob', 'bob2_shop')).toEqual(['bob_bob2_shop'])
})
