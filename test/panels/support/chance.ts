/** Numbers that look like chance and are the same for the same seed. */
export interface Chance {
  /** A whole number from 0 up to, without, `limit`. */
  below(limit: number): number
  /** True as often as `share` says, 0 to 1. */
  is(share: number): boolean
  one<T>(values: readonly T[]): T
}

/** xorshift32, begun with the FNV-1a hash of the seed. */
export const createChance = (seed: string): Chance => {
  let state = 0x811c9dc5
  for (let at = 0; at < seed.length; at += 1)
    state = Math.imul(state ^ seed.charCodeAt(at), 0x01000193)
  const next = (): number => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 2 ** 32
  }
  const below = (limit: number): number => Math.floor(next() * limit)
  return {
    below,
    is: (share) => next() < share,
    one(values) {
      const value = values[below(values.length)]
      if (value === undefined) throw new Error('there is nothing to choose from')
      return value
    },
  }
}
