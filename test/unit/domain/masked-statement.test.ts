import { expect, it } from 'vitest'
import { maskedStatement } from '#handlers/domain/databases/masked-statement.ts'

it.each([
  ["SELECT * FROM t WHERE a = 'it''s' AND b = 12.5e3", 'SELECT * FROM t WHERE a = ? AND b = ?'],
  ['SELECT "se\\"cret", `col"umn`', 'SELECT ?, `col"umn`'],
  ['SELECT  1 -- secret\n FROM\tt # more', 'SELECT ? FROM t'],
  ['SELECT /* secret */ a FROM t1', 'SELECT a FROM t1'],
  ['INSERT INTO t VALUES (1, 2,3)', 'INSERT INTO t VALUES (?, …)'],
  ["SELECT x'FF', 0xff, -5", 'SELECT x?, …, -?'],
  ["SELECT 'never closed", 'SELECT ?'],
  ['SELECT /* never closed', 'SELECT'],
])('masks %j of MariaDB', (sql, masked) => {
  expect(maskedStatement(sql, 'mariadb')).toBe(masked)
})

it.each([
  ['SELECT "Name" FROM t WHERE a = \'\\\' AND b = 2', 'SELECT "Name" FROM t WHERE a = ? AND b = ?'],
  ["SELECT E'se\\'cret'", 'SELECT E?'],
  ['DO $x$ secret $$ secret $x$', 'DO ?'],
  ['SELECT $1, a$b$c', 'SELECT $1, a$b$c'],
  ['SELECT a #> b', 'SELECT a #> b'],
])('masks %j of PostgreSQL', (sql, masked) => {
  expect(maskedStatement(sql, 'postgresql')).toBe(masked)
})

it('cuts long ones', () => {
  const long = maskedStatement(`SELECT ${'abc, '.repeat(1000)}`, 'mariadb')
  expect(long).toHaveLength(1000)
  expect(long.endsWith('…')).toBe(true)
})
