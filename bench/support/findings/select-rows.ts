import type { Family } from './row.ts'

/**
 * Names of rows that a comma-separated list of rows and families means; without
 * a list all. Throws, naming it, for one that does not exist.
 */
export const selectRows = (
  families: readonly Pick<Family, 'name' | 'rows'>[],
  list: string | undefined,
): Set<string> => {
  const all = families.flatMap(({ rows }) => Object.keys(rows))
  if (list === undefined) return new Set(all)
  const names = list.split(',').map((name) => name.trim())
  return new Set(
    names.flatMap((name) => {
      const family = families.find((one) => one.name === name)
      if (family !== undefined) return Object.keys(family.rows)
      if (all.includes(name)) return [name]
      throw new Error(`There is no row or family "${name}". Names are shown by --list.`)
    }),
  )
}
