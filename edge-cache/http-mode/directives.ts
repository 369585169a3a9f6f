import { seconds } from '../cache-control.ts'

/** Directives of a Cache-Control field, of a request or of an answer. */
export interface Directives {
  /** Whether the directive is there, with or without an argument. */
  has(name: string): boolean
  /** Whether it is there without field names: `private`, not `private="x"`. */
  bare(name: string): boolean
  /** Lower-case field names of its qualified form, `no-cache="a, b"`. */
  fields(name: string): string[]
  /**
   * Its seconds; undefined when it is absent, null when they are unreadable. Of
   * a repeated directive the first counts (RFC 9111, 4.2.1).
   */
  secs(name: string): number | null | undefined
  size: number
}

const DIRECTIVE = /([^\s,;="]+)\s*(?:=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,;]*)))?/g

/** Reads a Cache-Control field (RFC 9111, 5.2); names are compared in lower case. */
export const parseDirectives = (field: string | null): Directives => {
  const found = new Map<string, string[]>()
  for (const match of (field ?? '').matchAll(DIRECTIVE)) {
    const name = (match[1] ?? '').toLowerCase()
    const values = found.get(name) ?? []
    values.push(match[2] ?? match[3] ?? '')
    found.set(name, values)
  }
  return {
    has: (name) => found.has(name),
    bare: (name) => found.get(name)?.includes('') ?? false,
    fields: (name) =>
      (found.get(name) ?? []).flatMap((value) =>
        value
          .toLowerCase()
          .split(',')
          .map((item) => item.trim())
          .filter((item) => item !== ''),
      ),
    secs(name) {
      const value = found.get(name)?.[0]
      return value === undefined ? undefined : seconds(value)
    },
    size: found.size,
  }
}

/**
 * Directives of a request. `Pragma: no-cache` counts where there is no
 * Cache-Control (RFC 9111, 5.4).
 */
export const requestDirectives = (headers: Headers): Directives => {
  const control = headers.get('cache-control')
  const pragma = control === null && /\bno-cache\b/i.test(headers.get('pragma') ?? '')
  return parseDirectives(pragma ? 'no-cache' : control)
}
