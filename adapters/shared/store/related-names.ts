import { sql } from 'kysely'
import type { RawBuilder, SqlBool } from 'kysely'
import { parentDomains } from '#handlers/domain/domains/domain-name.ts'
import { wildcardBase } from '#handlers/domain/domains/wildcard-name.ts'
import { reversedName } from './rows.ts'

/**
 * Condition on `domains`: the row's name is `name`, a parent of it, a wildcard below such a
 * one, or below it. A wildcard counts as the name above it, to which all that it stands for belongs.
 * Each part is served by an index. The range ends before `/`, the character
 * after the dot that ends `reversed_name`.
 */
export const relatedNames = (wanted: string): RawBuilder<SqlBool> => {
  const name = wildcardBase(wanted) ?? wanted
  const reversed = reversedName(name)
  const parents = parentDomains(name)
  const names = sql.join([name, ...parents, ...parents.map((parent) => `*.${parent}`)])
  return sql<SqlBool>`(domain_name in (${names}) or (reversed_name > ${reversed} and reversed_name < ${`${reversed.slice(0, -1)}/`}))`
}
