import { seconds } from '../fields/cache-control.ts'
import { targetedDirectives } from './targeted-control.ts'

/** Directives of a Cache-Control field, of a request or of a response. */
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
  /** Whether they come from a field for caches like this one, beside which `Expires` does not count. */
  targeted: boolean
}

const DIRECTIVE = /([^\s,;="]+)\s*(?:=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,;]*)))?/g

const directivesOf = (
  directives: Iterable<readonly [name: string, argument: string]>,
  targeted: boolean,
): Directives => {
  const found = new Map<string, string[]>()
  for (const [name, value] of directives) {
    const values = found.get(name) ?? []
    values.push(value)
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
    targeted,
  }
}

/** Reads a Cache-Control field (RFC 9111, 5.2); names are compared in lower case. */
export const parseDirectives = (field: string | null): Directives => {
  const matches = (field ?? '').matchAll(DIRECTIVE)
  const directives = [...matches].map(
    ([, name = '', quoted, plain]) => [name.toLowerCase(), quoted ?? plain ?? ''] as const,
  )
  return directivesOf(directives, false)
}

/** What a response says to caches beside the browser alone; it goes on to the client, who may be another of them. */
const TARGETED = 'cdn-cache-control'

/**
 * Directives of a response, whose fields `get` answers: those of `CDN-Cache-Control`
 * where it is there and valid, and only then not those of `Cache-Control` (RFC 9213, 2.2).
 */
export const responseDirectives = (get: (name: string) => string | null): Directives => {
  const targeted = targetedDirectives(get(TARGETED))
  return targeted === null ? parseDirectives(get('cache-control')) : directivesOf(targeted, true)
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
