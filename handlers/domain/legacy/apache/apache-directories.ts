import { resolvePath } from '../../config/paths.ts'
import {
  belowPattern,
  globPattern,
  ifHead,
  matchExpression,
  sectionLines,
  understood,
} from '../rule-lines.ts'
import type { Directive } from '../types.ts'
import { ACCESS } from './apache-names.ts'
import { isRewrite } from './apache-rewrites.ts'
import { blockLines, plainLines, type SectionDeps } from './apache-sections.ts'

const isAccess = ({ name }: Directive): boolean => ACCESS.has(name)

/** A `<Directory>` with what it is about. */
export interface Section {
  directive: Directive
  /** Normalised, without a final slash; null for patterns. */
  path: string | null
  /** As a pattern over the path of a file. */
  pattern: string
}

/** Where a section counts; one whose pattern means `root`, or what lies above it, is about `root`. */
export const sectionOf = (directive: Directive, root: string): Section => {
  const [first = '', second] = directive.args
  if (directive.name === 'directorymatch' || first === '~') {
    const pattern = first === '~' ? (second ?? '') : first
    return { directive, path: null, pattern: pattern.replace(/([^\\]|^)\$$/, '$1(?:/|$)') }
  }
  const path = resolvePath('/', first)
  const pattern = globPattern(path === '/' ? '' : path)
  if (!/[*?[]/.test(path)) return { directive, path, pattern }
  // A pattern that means the document root, or what lies above it, is about all of the site.
  return { directive, path: new RegExp(pattern).test(root) ? root : null, pattern }
}

/** Whether a path is a root or lies above it; both normalised. */
export const isAbove = (path: string, root: string): boolean =>
  path === root || root.startsWith(path === '/' ? '/' : `${path}/`)

/** Rules of access that a section further down replaces together; what is about logins, each by itself. */
const groupOf = ({ name }: Directive): string => {
  if (name.startsWith('require')) return 'require'
  return ['order', 'allow', 'deny', 'satisfy'].includes(name) ? 'order' : name
}

/** Whether rules of access let everybody in. */
const isOpen = (access: readonly Directive[]): boolean => {
  const of = (name: string): string[] =>
    access.filter((one) => one.name === name).map(({ args }) => args.join(' ').toLowerCase())
  const requires = access.filter((one) => groupOf(one) === 'require')
  if (!requires.every(({ name }) => name === 'require')) return false
  if (!of('require').every((text) => text === 'all granted')) return false
  if (of('deny').length > 0) return false
  const order = of('order').at(-1)?.replaceAll(' ', '') ?? 'deny,allow'
  return order === 'deny,allow' || of('allow').some((text) => /^from(?: .*)? all(?: |$)/.test(text))
}

/** What the sections above and at the document root say together. */
export const convertAbove = (
  sections: readonly Section[],
  root: string,
  deps: SectionDeps,
): string[] => {
  const lines: string[] = []
  const last = new Map<string, Directive>()
  for (const { directive } of sections)
    for (const inner of (directive.inside ?? []).filter(isAccess))
      last.set(groupOf(inner), directive)
  const counts = (inner: Directive, section: Directive): boolean =>
    last.get(groupOf(inner)) === section
  const open = isOpen(
    sections.flatMap(({ directive }) =>
      (directive.inside ?? []).filter((one) => isAccess(one) && counts(one, directive)),
    ),
  )
  for (const { directive, path } of sections) {
    const kept: Directive[] = []
    for (const inner of directive.inside ?? []) {
      if (isAccess(inner)) {
        const isRule = /^(?:require|order)$/.test(groupOf(inner))
        if (counts(inner, directive) && !(open && isRule)) kept.push(inner)
      } else if (inner.name === 'allowoverride') {
        const words = inner.args.map((arg) => arg.toLowerCase())
        deps.site.htaccess = words[0] !== 'none'
        if (deps.site.htaccess && words[0] !== 'all')
          deps.report.changed(inner, 'Files named .htaccess may say everything that Berth knows.')
      } else if (inner.name === 'allowoverridelist') {
        deps.report.lost(inner, 'Files named .htaccess may say everything that Berth knows.')
      } else if (isRewrite(inner) || inner.name === 'rewritebase') {
        if (path !== root)
          deps.report.lost(inner, 'Rules of this place see other paths. Move it to .htaccess.')
        else kept.push(inner)
      } else kept.push(inner)
    }
    lines.push(...directoryLines(kept, deps))
  }
  return lines
}

/** The lines of a directory's section; those of rewriting stay together and in order. */
const directoryLines = (directives: readonly Directive[], deps: SectionDeps): string[] => {
  const names = (one: Directive): boolean => isRewrite(one) || one.name === 'rewritebase'
  const rewriting = directives.filter(names)
  const lines = rewriting.map(({ spelled, text }) => `${spelled} ${text}`)
  const first = rewriting[0]
  const kept = first === undefined ? [] : (understood(lines, first, deps) ?? [])
  return [
    ...plainLines(
      directives.filter((one) => !names(one)),
      deps,
    ),
    ...kept,
  ]
}

/**
 * `<Directory>` sections as far as they are about a site's files: those above its
 * document root in their order, then those below it and patterns. `used` learns
 * which of them were about it.
 */
export const convertDirectories = (
  directives: readonly Directive[],
  root: string,
  deps: SectionDeps,
  used: Set<Directive>,
): string[] => {
  const sections = directives.map((directive) => sectionOf(directive, root))
  const above = sections
    .filter(({ path }) => path !== null && isAbove(path, root))
    .sort((a, b) => (a.path ?? '').length - (b.path ?? '').length)
  const lines = convertAbove(above, root, deps)
  above.forEach(({ directive }) => used.add(directive))
  for (const { directive, path, pattern } of sections) {
    if (path !== null && !(path !== root && isAbove(root, path))) continue
    used.add(directive)
    const inside = (directive.inside ?? []).filter((inner) => {
      if (inner.name.startsWith('allowoverride')) {
        if (/^none$/i.test(inner.args[0] ?? '')) {
          if (deps.site.htaccess)
            deps.report.changed(
              inner,
              'Files named .htaccess count everywhere in a site, or nowhere.',
            )
        } else {
          deps.site.htaccess = true
          deps.report.changed(inner, 'Files named .htaccess count in all of the site.')
        }
        return false
      }
      if (isRewrite(inner)) {
        deps.report.lost(inner, 'It counts for a part of a site. Say it in .htaccess there.')
        return false
      }
      return true
    })
    const expression =
      path === null
        ? matchExpression('%{REQUEST_FILENAME}', pattern)
        : matchExpression(
            '%{REQUEST_URI}',
            belowPattern(path.slice(root === '/' ? 0 : root.length)),
          )
    lines.push(...conditionalLines(directive, expression, inside, deps))
  }
  return lines
}

/** A section as `<If>`. */
export const conditionalLines = (
  directive: Directive,
  expression: string | null,
  inside: readonly Directive[],
  deps: SectionDeps,
): string[] => {
  const block = blockLines(inside, deps)
  if (block.length === 0) return []
  if (expression === null) {
    deps.report.lost(directive, 'Its pattern holds every sign that could enclose it.')
    return []
  }
  const lines = understood(sectionLines(ifHead(expression), block), directive, deps)
  if (lines === null && (directive.inside ?? []).some(isAccess))
    deps.report.lost(directive, 'It kept visitors out. Protect the place before the site is open.')
  return lines ?? []
}
