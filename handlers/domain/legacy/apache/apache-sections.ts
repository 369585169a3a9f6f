import { fateOfRequestHeader } from '../fate-of-request-header.ts'
import { isAltSvc, NO_HTTP3 } from '../mapped-heads.ts'
import type { Report } from '../report.ts'
import { ifHead, sectionLines, understood } from '../rule-lines.ts'
import type { Directive, LegacySite, RuleCheck } from '../types.ts'
import { isAboutPhp, phpRouteOf } from './apache-handlers.ts'
import { judged, reverseLines } from './apache-judged.ts'
import { ACCESS, LOST, RULE_SECTIONS, RULES, UNNEEDED } from './apache-names.ts'

/** The site that a section is about, and who judges and notes what becomes of its lines. */
export interface SectionDeps {
  check: RuleCheck
  report: Report
  site: LegacySite
  /** Some section takes PHP's files away from PHP, so what gives them to it is a rule too. */
  namesPhp: boolean
}

/** Whether directives, or sections in them, take files away from what runs them. */
export const takesHandlers = (directives: readonly Directive[]): boolean =>
  directives.some(
    ({ name, args, inside }) =>
      (name === 'sethandler' && /^(?:none|default-handler)$/i.test(args[0] ?? '')) ||
      takesHandlers(inside ?? []),
  )

/** What closes a place whose protection cannot be carried over. */
export const CLOSED = 'Require all denied'
const CLOSED_BLOCK: readonly string[] = [CLOSED]

const RICH_OPTIONS = /^\+?(?:all|multiviews|includes|includesnoexec|execcgi)$/i
const LINKS = /^\+?(?:all|followsymlinks|symlinksifownermatch)$/i
const NO_LINKS = /^(?:none|-(?:all|followsymlinks|symlinksifownermatch))$/i
const LISTING = /^[+-]?(?:indexes|all)$/i

/** `Options`, of which listings have a counterpart. */
const optionLines = (directive: Directive, report: Report): string[] => {
  const { args } = directive
  const rich = args.filter((word) => RICH_OPTIONS.test(word))
  if (rich.length > 0)
    report.lost(directive, `Berth has no server-side includes or CGI (${rich.join(', ')}).`)
  const refusesLinks =
    args.some((word) => NO_LINKS.test(word)) && !args.some((word) => LINKS.test(word))
  if (refusesLinks) report.changed(directive, 'Links are followed to what belongs to the account.')
  // Without a sign the words are all that is on from here.
  const isWhole = args.some((word) => !/^[+-]/.test(word))
  const listing = args.filter((word) => LISTING.test(word)).at(-1)
  if (listing !== undefined) return [`Options ${listing.startsWith('-') ? '-' : '+'}Indexes`]
  if (rich.length === 0 && !refusesLinks)
    report.unneeded(directive, 'Links are judged by their owner, always.')
  return isWhole ? ['Options -Indexes'] : []
}

/** `SetHandler` and `AddHandler`, as lines where they are about PHP or about nothing that Berth has; null: they stay. */
const convertHandler = (
  directive: Directive,
  { site, report, namesPhp }: SectionDeps,
): string[] | null => {
  const { name, spelled, args } = directive
  if (name !== 'sethandler' && name !== 'addhandler' && name !== 'addtype') return null
  const [handler = ''] = args
  const route = phpRouteOf(handler)
  if (route?.kind === 'socket') {
    if (site.phpSocket !== null && site.phpSocket !== route.path)
      report.lost(directive, `A site has one PHP, and it is ${site.phpSocket}.`)
    site.phpSocket ??= route.path
    const [, ...extensions] = args
    return namesPhp ? [[spelled, 'application/x-httpd-php', ...extensions].join(' ')] : []
  }
  if (route !== null) {
    report.lost(directive, route.how)
    return []
  }
  if (name === 'addtype' || /^(?:none|default-handler|text\/\S+)$/i.test(handler)) return null
  if (name === 'addhandler' && isAboutPhp(directive)) return null
  report.lost(directive, `Berth has no handler "${handler}".`)
  return []
}

/** What only the missing part of Apache could judge; without it nobody may come in. */
const asksOfVisitors = ({ name, args: [first = ''] }: Directive): boolean =>
  name === 'sslrequire' ||
  (name === 'sslverifyclient' && /^require$/i.test(first)) ||
  (name === 'authmerging' && !/^off$/i.test(first))

/** A header of requests that an application does not get as it is said. */
const tellRequestHeader = (directive: Directive, report: Report): void => {
  const [action = '', header = '', value = ''] = directive.args
  if (!/^(?:set|setifempty|add|append|merge)$/i.test(action)) return
  const fate = fateOfRequestHeader(header.replace(/:$/, ''), value)
  if (fate !== null && fate !== 'told') report[fate.kind](directive, fate.reason)
}

/** One directive that says something of responses; null: it was an access rule that is not understood. */
const ruleLines = (directive: Directive, deps: SectionDeps): string[] | null => {
  const { name, spelled, args, text, inside } = directive
  const { report } = deps
  const handled = convertHandler(directive, deps)
  if (handled !== null) return handled
  if (inside !== null) {
    if (!RULE_SECTIONS.has(name)) {
      report.lost(directive, 'Berth has no such section here.')
      return []
    }
    const head = text === '' ? spelled : `${spelled} ${text}`
    const lines = sectionLines(head, blockLines(inside, deps))
    if (lines.length === 0) return []
    return understood(lines, directive, deps) ?? (isClosing(directive) ? null : [])
  }
  if (asksOfVisitors(directive)) {
    report.lost(directive, 'Berth cannot ask this of visitors, so the place is closed.')
    return null
  }
  if (name === 'sslrequiressl')
    return understood(sectionLines(ifHead("%{HTTPS} != 'on'"), [CLOSED]), directive, deps)
  if (/^php_(?:admin_)?flag$/.test(name) && /^engine (?:off|0|false|no)$/i.test(args.join(' '))) {
    report.changed(directive, 'Scripts are refused there, and their source is not shown either.')
    return sectionLines('FilesMatch "\\.(?:php\\d*|phtml|phar)$"', [CLOSED])
  }
  if (name === 'options') return optionLines(directive, report)
  if (/^php_(?:admin_)?(?:value|flag)$/.test(name))
    report.lost(directive, 'Set it in the pool of php-fpm, or in .user.ini.')
  else if (name === 'header' && args.some(isAltSvc)) report.changed(directive, NO_HTTP3)
  else if (RULES.has(name)) {
    if (name === 'requestheader') tellRequestHeader(directive, report)
    const line = text === '' ? spelled : `${spelled} ${text}`
    return understood([line], directive, deps) ?? (ACCESS.has(name) ? null : [])
  } else {
    const led = reverseLines(directive, deps.site, report)
    if (led !== null) return understood(led, directive, deps) ?? []
    const reason = UNNEEDED.get(name)
    const missed = judged(directive)
    if (missed !== null) report[missed.kind](directive, missed.reason)
    else if (reason !== undefined) report.unneeded(directive, reason)
    else report.lost(directive, LOST.get(name) ?? 'Berth has no counterpart of it.')
  }
  return []
}

/** Whether a section holds rules of access. */
export const isClosing = ({ name, inside }: Directive): boolean =>
  ACCESS.has(name) || (inside ?? []).some(isClosing)

/**
 * What stands in a section, as lines of the key `rules`. Where a rule of access is
 * not understood, the whole place is closed instead of standing open.
 */
export const blockLines = (
  directives: readonly Directive[],
  deps: SectionDeps,
): readonly string[] => {
  const lines: string[] = []
  let closed = false
  for (const directive of directives) {
    const found = ruleLines(directive, deps)
    if (found === null) closed = true
    else lines.push(...found)
  }
  return closed ? CLOSED_BLOCK : lines
}

/** The same for what stands in no section, where other rules of access could open it again. */
export const plainLines = (
  directives: readonly Directive[],
  deps: SectionDeps,
): readonly string[] => {
  const lines = blockLines(directives, deps)
  return lines === CLOSED_BLOCK ? sectionLines(ifHead('true'), lines) : lines
}
