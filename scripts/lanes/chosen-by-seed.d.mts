/** Some of the things of a group, the same for a seed: `keep` of them, in their own order. */
export function chosenBySeed<T>(
  seed: string,
  name: string,
  things: readonly T[],
  keep: number,
  idOf?: (thing: T, at: number) => string | number,
): readonly T[]
