import type { VirtualHostConfig } from '../../domain/config/config-types.ts'
import type { Plan } from './plan.ts'

/** Of one virtual host in one process: each may have every page once more. */
const MAX_VARIANTS = 32
/** Such as `+ismobile+webp`: what is part of a key is short and plain. */
const VARIANT = /^[\w+.:~-]{1,64}$/

/** Whether the request has one of the cookies, and something in it. */
const hasCookie = (field: string | null, names: readonly string[]): boolean => {
  if (field === null || names.length === 0) return false
  const wanted = new Set(names.map((name) => name.toLowerCase()))
  return field.split(';').some((pair) => {
    const equals = pair.indexOf('=')
    if (equals === -1) return false
    const name = pair.slice(0, equals).trim().toLowerCase()
    return wanted.has(name) && pair.slice(equals + 1).trim() !== ''
  })
}

/** Variants of pages that the sites' own rules choose; see `Plan.variant`. */
export interface PageVariants {
  /** Whether the page of this plan may be shared with all whom the rules give the same. */
  admits(vhost: VirtualHostConfig, plan: Plan, headers: Headers): boolean
  /** Edition that names the rules and the variant. */
  editionOf(plan: Plan): string
}

export const createPageVariants = (): PageVariants => {
  const known = new WeakMap<VirtualHostConfig, Set<string>>()
  return {
    admits(vhost, { variant, varyCookies }, headers) {
      if (hasCookie(headers.get('cookie'), varyCookies)) return false
      if (variant === '') return true
      if (!VARIANT.test(variant)) return false
      let seen = known.get(vhost)
      if (seen === undefined) known.set(vhost, (seen = new Set()))
      if (!seen.has(variant) && seen.size >= MAX_VARIANTS) return false
      seen.add(variant)
      return true
    },
    editionOf: ({ edition, variant }) => (variant === '' ? edition : `${edition};${variant}`),
  }
}
