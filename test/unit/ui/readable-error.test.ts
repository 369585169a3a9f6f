import { expect, test } from 'vitest'
import { readableError } from '../../../src/lib/api/readable-error.ts'

test.each([
  ['domain_name a.example exists already.', 'domain_name', 'Domain name a.example exists already.'],
  ['username "root" is reserved.', 'username', 'Username "root" is reserved.'],
  ['db_name must be shorter.', 'db_name', 'Database name must be shorter.'],
  ['target: there is no such target.', 'target', 'Target: there is no such target.'],
  ['paths: two of them end alike.', 'paths.0', 'Paths: two of them end alike.'],
  ['logs exists already.', 'path', 'logs exists already.'],
  ['usernames are taken.', 'username', 'usernames are taken.'],
  ['Wrong username or password.', null, 'Wrong username or password.'],
])('%s', (error, field, shown) => {
  expect(readableError(error, field)).toBe(shown)
})
