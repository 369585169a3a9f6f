import { trimEndOf } from '../../../../edge-cache/fields/field-text.ts'
import { isPathPrefix } from '../../upstreams/path-prefix.ts'
import { resolvePath } from '../../config/paths.ts'
import { LegacyError } from '../legacy-error.ts'
import type { Report } from '../report.ts'
import { belowPattern, ifHead, matchExpression, sectionLines } from '../rule-lines.ts'
import type { Directive, LegacySite, SourceFiles } from '../types.ts'
import { CHALLENGES, isChallengePath } from './apache-challenges.ts'
import { conditionalLines, convertAbove, isAbove, sectionOf } from './apache-directories.ts'
import { ACCESS } from './apache-names.ts'
import type { SectionDeps } from './apache-sections.ts'

/** As many as the configuration takes; each is asked of every section about a directory. */
const MAX_FOLDERS = 100
const URI = '%{REQUEST_URI}'

/** `Alias`: a folder elsewhere. False: nothing answers the path now. */
export const convertAlias = (
  directive: Directive,
  site: LegacySite,
  { files, report }: { files: Pick<SourceFiles, 'exists'>; report: Report },
): boolean => {
  const [from = '', to = ''] = directive.args
  const target = resolvePath('/', to)
  const path = trimEndOf(from, '/')
  if (isChallengePath(from)) {
    report.unneeded(directive, CHALLENGES)
    return true
  }
  if (directive.name !== 'alias' || !isPathPrefix(path) || !to.startsWith('/')) {
    report.lost(directive, `Files of a pattern of paths lie below root. Move ${target} there.`)
    return false
  }
  if (target === resolvePath('/', `${site.root ?? ''}${from}`)) {
    report.unneeded(directive, 'It leads where the path leads anyway.')
    return true
  }
  if (!files.exists(target)) {
    report.lost(directive, `${target} does not exist.`)
    return false
  }
  if (Object.keys(site.folders).length >= MAX_FOLDERS)
    throw new LegacyError(
      directive,
      `a site has more than ${MAX_FOLDERS} folders elsewhere. Move some of them below its root.`,
    )
  // Of two the first counts.
  site.folders[path] ??= target
  return true
}

/** What sections say of folders elsewhere, as conditions on their paths. */
export const folderLines = (
  directories: readonly Directive[],
  deps: SectionDeps,
  used: Set<Directive>,
): string[] => {
  const standsIn = directories.some(({ inside }) =>
    (inside ?? []).some(({ name }) => name === 'fallbackresource'),
  )
  return Object.entries(deps.site.folders).flatMap(([path, target]) => {
    const sections = directories.map((directive) => sectionOf(directive, target))
    const above = sections
      .filter((one) => one.path !== null && isAbove(one.path, target))
      .sort((a, b) => (a.path ?? '').length - (b.path ?? '').length)
    const { htaccess } = deps.site
    const said = convertAbove(above, target, deps)
    // Whether files named .htaccess count is the document root's to say.
    deps.site.htaccess = htaccess
    above.forEach(({ directive }) => used.add(directive))
    const isOpen = !said.some((line) => ACCESS.has(line.split(' ')[0]?.toLowerCase() ?? ''))
    const lines = isOpen ? ['Require all granted', ...said] : said
    // What stands in below the root is for the root alone.
    if (standsIn && !said.some((line) => /^fallbackresource /i.test(line)))
      lines.push('FallbackResource disabled')
    const whole = matchExpression(URI, belowPattern(path))
    const below = sections.flatMap(({ directive, path: place }) => {
      if (place === null || place === target || !isAbove(target, place)) return []
      used.add(directive)
      const inner = `${path}${place.slice(target === '/' ? 0 : target.length)}`
      const inside = (directive.inside ?? []).filter(
        ({ name }) => !/^(?:allowoverride|rewrite)/.test(name),
      )
      return conditionalLines(directive, matchExpression(URI, belowPattern(inner)), inside, deps)
    })
    return [...(whole === null ? [] : sectionLines(ifHead(whole), lines)), ...below]
  })
}
