import { normalizeTarget, type NormalTarget } from '../paths/request-path.ts'
import { escapePath } from '../rewrite/escape-location.ts'
import type { Plan } from './plan.ts'

export type Answer = NonNullable<Plan['answer']>

/** What happens to a request on its way through one address. */
export type Step =
  | { kind: 'answer'; answer: Answer }
  /** To another address; `inner`: one that an index stands for, as Apache's subrequests. */
  | { kind: 'go'; path: string; query: string; rewriting: boolean; inner: boolean }
  /** To an application of the virtual host, by its name; path null: the address stays. */
  | { kind: 'pass'; backend: string; path: string | null; query: string }
  | { kind: 'stay'; missing: boolean }

export const statusResponse = (status: number): Answer => ({ status, location: null, realm: null })

/** A path that rules made, in its one spelling; null when it leaves the site. */
export const targetOf = (path: string, query: string): NormalTarget | null => {
  const target = normalizeTarget(escapePath(path.startsWith('/') ? path : `/${path}`))
  return target && { ...target, query: query === '' ? null : query }
}

/**
 * What rules see of a path: slashes in a row are one there, because the file system
 * takes them for one, and a rule for `private/` must not be passed by at `//private/`.
 */
export const uriOf = ({ file, path }: NormalTarget): string =>
  (file ?? path).replace(/\/{2,}/g, '/')
