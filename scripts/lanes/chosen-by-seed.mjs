import { createHash } from 'node:crypto'

/**
 * Some of the things of a group: `keep` of them, in their own order. The choice depends on the seed,
 * the name of the group and the ids alone, so every run with one seed chooses the same.
 *
 * @template T
 * @param {string} seed
 * @param {string} name of the group, which no other has
 * @param {readonly T[]} things
 * @param {number} keep
 * @param {(thing: T, at: number) => string | number} idOf default: its place
 * @returns {readonly T[]}
 */
export const chosenBySeed = (seed, name, things, keep, idOf = (_, at) => at) => {
  if (things.length <= keep) return things
  const ranks = things.map((thing, at) =>
    createHash('sha256')
      .update(`${seed}\0${name}\0${idOf(thing, at)}`)
      .digest('hex'),
  )
  const last = ranks.toSorted()[keep - 1] ?? ''
  return things.filter((_, at) => (ranks[at] ?? '') <= last)
}
