import type { Directive } from '../types.ts'

/** A block and those around it: what it does not say, they say. */
export interface Scope {
  at: Directive
  directives: readonly Directive[]
  parent: Scope | null
}

/** A directive of which one counts: the last of the nearest block that has it. */
export const nearest = (scope: Scope | null, name: string): Directive | undefined => {
  for (let at = scope; at !== null; at = at.parent) {
    const found = at.directives.findLast((directive) => directive.name === name)
    if (found) return found
  }
  return undefined
}

/** Directives that add up: all of the nearest block that has any. */
export const nearestAll = (scope: Scope | null, ...names: string[]): Directive[] => {
  for (let at = scope; at !== null; at = at.parent) {
    const found = at.directives.filter(({ name }) => names.includes(name))
    if (found.length > 0) return found
  }
  return []
}

/** Of the block itself alone. */
export const own = (scope: Scope, ...names: string[]): Directive[] =>
  scope.directives.filter(({ name }) => names.includes(name))
