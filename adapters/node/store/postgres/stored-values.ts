import pg from 'pg'

// Numbers and truths as SQLite has them, by the numbers of types (pg_type.dat).
const NUMBERS = new Set([20, 1700])
const TRUTH = 16
const getTypeParser = ((oid: number, format?: 'text' | 'binary') => {
  if (oid === TRUTH) return (text: string) => (text === 't' ? 1 : 0)
  if (NUMBERS.has(oid)) return Number
  return pg.types.getTypeParser(oid, format)
}) as typeof pg.types.getTypeParser

/** How values of the store are read on our connections, and on no others of the process. */
export const storedValues: pg.CustomTypesConfig = { getTypeParser }
