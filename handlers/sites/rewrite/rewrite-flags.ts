import { PatternError } from './pattern/pattern.ts'
import type { RewriteFlags } from './rewrite-types.ts'
import { parseTemplate } from './template.ts'

const REDIRECTS: Readonly<Record<string, number>> = {
  permanent: 301,
  temp: 302,
  seeother: 303,
}

const redirectStatus = (value: string): number => {
  if (value === '') return 302
  const status = REDIRECTS[value.toLowerCase()] ?? Number(value)
  if (!Number.isInteger(status) || status < 200 || status > 599) {
    throw new PatternError(`R=${value} is not a status`)
  }
  return status
}

/** Splits `[L,R=301,"E=a:b,c"]` without its brackets. */
const splitFlags = (text: string): string[] =>
  (text.match(/(?:"[^"]*"|[^,"])+/g) ?? []).map((flag) => flag.trim().replace(/^"(.*)"$/, '$1'))

/** By name in capitals. */
const SETTERS: ReadonlyMap<string, (flags: RewriteFlags, value: string) => unknown> = new Map(
  Object.entries<(flags: RewriteFlags, value: string) => unknown>({
    L: (flags) => (flags.last = true),
    LAST: (flags) => (flags.last = true),
    END: (flags) => (flags.end = true),
    R: (flags, value) => (flags.redirect = redirectStatus(value)),
    REDIRECT: (flags, value) => (flags.redirect = redirectStatus(value)),
    F: (flags) => (flags.forbidden = true),
    FORBIDDEN: (flags) => (flags.forbidden = true),
    G: (flags) => (flags.gone = true),
    GONE: (flags) => (flags.gone = true),
    NC: () => undefined,
    NOCASE: () => undefined,
    NE: (flags) => (flags.noEscape = true),
    NOESCAPE: (flags) => (flags.noEscape = true),
    QSA: (flags) => (flags.queryAppend = true),
    QSAPPEND: (flags) => (flags.queryAppend = true),
    QSD: (flags) => (flags.queryDiscard = true),
    QSDISCARD: (flags) => (flags.queryDiscard = true),
    QSL: (flags) => (flags.queryLast = true),
    QSLAST: (flags) => (flags.queryLast = true),
    B: (flags, value) => (flags.escapeBackreferences = value === '' ? 'all' : value),
    ESCAPEBACKREFERENCES: (flags, value) =>
      (flags.escapeBackreferences = value === '' ? 'all' : value),
    C: (flags) => (flags.chain = true),
    CHAIN: (flags) => (flags.chain = true),
    S: (flags, value) => (flags.skip = Math.max(0, Math.floor(Number(value)) || 0)),
    SKIP: (flags, value) => (flags.skip = Math.max(0, Math.floor(Number(value)) || 0)),
    N: (flags) => (flags.next = true),
    NEXT: (flags) => (flags.next = true),
    NS: (flags) => (flags.noSubrequest = true),
    NOSUBREQ: (flags) => (flags.noSubrequest = true),
    P: (flags) => (flags.proxy = true),
    PROXY: (flags) => (flags.proxy = true),
    E: (flags, value) => flags.env.push(parseTemplate(value)),
    ENV: (flags, value) => flags.env.push(parseTemplate(value)),
    CO: (flags, value) => flags.cookies.push(parseTemplate(value)),
    COOKIE: (flags, value) => flags.cookies.push(parseTemplate(value)),
    T: (flags, value) => (flags.type = value),
    TYPE: (flags, value) => (flags.type = value),
    H: (flags, value) => (flags.handler = value),
    HANDLER: (flags, value) => (flags.handler = value),
    PT: () => undefined,
    PASSTHROUGH: () => undefined,
    DPI: () => undefined,
    DISCARDPATH: () => undefined,
    BNP: (flags) => (flags.noPlus = true),
    BACKREFNOPLUS: (flags) => (flags.noPlus = true),
    BNE: () => undefined,
    UNSAFEALLOW3F: (flags) => (flags.allowQuestionMark = true),
    UNSAFEPREFIXSTAT: () => undefined,
    UNC: () => undefined,
  }),
)

/** Reads the flags of a rule, with or without brackets. Throws `PatternError` for unknown ones. */
export const parseRewriteFlags = (text: string): RewriteFlags => {
  const flags: RewriteFlags = {
    last: false,
    end: false,
    redirect: null,
    forbidden: false,
    gone: false,
    noEscape: false,
    queryAppend: false,
    queryDiscard: false,
    queryLast: false,
    escapeBackreferences: null,
    noPlus: false,
    allowQuestionMark: false,
    chain: false,
    skip: 0,
    next: false,
    noSubrequest: false,
    proxy: false,
    env: [],
    cookies: [],
    type: null,
    handler: null,
  }
  for (const flag of splitFlags(text.trim().replace(/^\[(.*)\]$/s, '$1'))) {
    const equals = flag.indexOf('=')
    const name = (equals === -1 ? flag : flag.slice(0, equals)).trim().toUpperCase()
    if (name === '') continue
    const set = SETTERS.get(name)
    if (!set) throw new PatternError(`"${name}" is not a flag of RewriteRule`)
    // The value alone may stand in quotes too: E="Cache-Vary:a,b".
    set(flags, equals === -1 ? '' : flag.slice(equals + 1).replace(/^"([^"]*)"$/, '$1'))
  }
  return flags
}

/** Whether flags hold one of the names, e.g. `NC` of conditions and rules. */
export const hasFlag = (text: string, ...names: string[]): boolean =>
  splitFlags(text.trim().replace(/^\[(.*)\]$/s, '$1')).some((flag) =>
    names.includes(flag.trim().toUpperCase()),
  )
