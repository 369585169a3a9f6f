import { maskedStatement } from '#handlers/domain/databases/masked-statement.ts'
import { opened, parsersOf } from '../parser-list.ts'

const OPENED = ["SELECT '", 'SELECT "', 'SELECT /*', 'SELECT `', 'SELECT $a$', '$', '1, ', "E'\\"]

/** What tenants have their database servers run. */
export const databaseParsers = parsersOf('tenant', 64 * 1024, {
  'handlers/domain/databases/masked-statement.ts maskedStatement': opened(OPENED, (text) => [
    maskedStatement(text, 'mariadb'),
    maskedStatement(text, 'postgresql'),
  ]),
})
