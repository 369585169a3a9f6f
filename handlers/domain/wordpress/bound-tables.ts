/** A table, and those that foreign keys bind directly to it, in either direction. */
export interface BoundTable {
  name: string
  bound_to: readonly string[]
}

/**
 * Tables with those that foreign keys bind to them, also by way of others: what can only be exchanged
 * together. These come first, in their order.
 */
export const withBound = (names: readonly string[], all: readonly BoundTable[]): string[] => {
  const bonds = new Map(all.map((one) => [one.name, one.bound_to]))
  const found = new Set(names)
  // A set hands out what is added while it is walked.
  for (const name of found) for (const other of bonds.get(name) ?? []) found.add(other)
  return [...found]
}
