import { sql } from 'kysely'
import type { RawBuilder, SqlBool } from 'kysely'
import { parentDomains } from '#handlers/domain/domains/domain-name.ts'
import { reversedName } from './rows.ts'

/**
 * Condition on `domains`: the row's name is `name`, a parent of it or below it.
 * Each part is served by an index. The range ends before `/`, the character
 * after the dot that ends `reversed_name`.
 */
export const relatedNames = (name: string): RawBuilder<SqlBool> => {
  const reversed = reversedName(name)
  const names = sql.join([name, ...parentDomains(name)])
  return sql<SqlBool>`(domain_name in (${names}) or (reversed_name > ${reversed} and reversed_name < ${`${reversed.slice(0, -1)}/`}))`
}
