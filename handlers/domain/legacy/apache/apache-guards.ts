import { trimEndOf } from '../../../../edge-cache/fields/field-text.ts'
import { resolvePath } from '../../config/paths.ts'
import {
  belowPattern,
  escapePattern,
  ifHead,
  matchExpression,
  sectionLines,
} from '../rule-lines.ts'
import type { Directive, SourceFiles } from '../types.ts'
import { conditionalLines } from './apache-directories.ts'
import { CLOSED, isClosing, type SectionDeps } from './apache-sections.ts'

/** A path that led to something that is not carried over; `isPattern`: a pattern of paths. */
export interface LostPath {
  directive: Directive
  path: string
  isPattern: boolean
}

const URI = '%{REQUEST_URI}'

const belowAny = (paths: readonly string[]): string | null =>
  matchExpression(URI, `^(?:${paths.map(escapePattern).join('|')})(?:/|$)`)

/** Rules of access in `<Proxy>`, for the paths that are passed on. */
export const proxySectionLines = (sections: readonly Directive[], deps: SectionDeps): string[] => {
  const { proxy } = deps.site
  return sections.flatMap((section) => {
    const [address = '*'] = section.args
    const isOurs =
      section.name === 'proxymatch' || proxy?.upstream.startsWith(trimEndOf(address, '*/'))
    if (!proxy || !isOurs || !(section.inside ?? []).some(isClosing)) {
      deps.report.unneeded(section, 'What is not named in [virtualhost.proxy] is not passed on.')
      return []
    }
    const expression = proxy.paths === null ? 'true' : belowAny(proxy.paths)
    return conditionalLines(section, expression, (section.inside ?? []).filter(isClosing), deps)
  })
}

/**
 * Paths that led away from the root. Files of the root that lie under them were
 * never to be seen, so they stay closed.
 */
export const lostPathLines = (
  lost: readonly LostPath[],
  files: Pick<SourceFiles, 'exists'>,
  { site, report, check }: SectionDeps,
): string[] => {
  const { root, proxy } = site
  if (root === null || (proxy !== null && proxy.paths === null)) return []
  const passed = proxy?.paths ?? []
  const except = passed.length === 0 ? '' : ` && !(${belowAny(passed) ?? 'true'})`
  return lost.flatMap(({ directive, path, isPattern }) => {
    if (!files.exists(isPattern ? root : resolvePath('/', `${root}/${path}`))) return []
    const expression = matchExpression(URI, isPattern ? path : belowPattern(path))
    const lines = expression === null ? [] : sectionLines(ifHead(expression + except), [CLOSED])
    if (lines.length === 0 || check.rules(lines.join('\n')) !== null) return []
    report.changed(
      directive,
      'Files of the root under this path were not to be seen; they are closed.',
    )
    return lines
  })
}
