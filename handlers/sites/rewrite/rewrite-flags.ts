import { PatternError } from './pattern.ts'
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
  const setters: Record<string, (value: string) => unknown> = {
    L: () => (flags.last = true),
    LAST: () => (flags.last = true),
    END: () => (flags.end = true),
    R: (value) => (flags.redirect = redirectStatus(value)),
    REDIRECT: (value) => (flags.redirect = redirectStatus(value)),
    F: () => (flags.forbidden = true),
    FORBIDDEN: () => (flags.forbidden = true),
    G: () => (flags.gone = true),
    GONE: () => (flags.gone = true),
    NC: () => undefined,
    NOCASE: () => undefined,
    NE: () => (flags.noEscape = true),
    NOESCAPE: () => (flags.noEscape = true),
    QSA: () => (flags.queryAppend = true),
    QSAPPEND: () => (flags.queryAppend = true),
    QSD: () => (flags.queryDiscard = true),
    QSDISCARD: () => (flags.queryDiscard = true),
    QSL: () => (flags.queryLast = true),
    QSLAST: () => (flags.queryLast = true),
    B: (value) => (flags.escapeBackreferences = value === '' ? 'all' : value),
    ESCAPEBACKREFERENCES: (value) => (flags.escapeBackreferences = value === '' ? 'all' : value),
    C: () => (flags.chain = true),
    CHAIN: () => (flags.chain = true),
    S: (value) => (flags.skip = Math.max(0, Math.floor(Number(value)) || 0)),
    SKIP: (value) => (flags.skip = Math.max(0, Math.floor(Number(value)) || 0)),
    N: () => (flags.next = true),
    NEXT: () => (flags.next = true),
    NS: () => (flags.noSubrequest = true),
    NOSUBREQ: () => (flags.noSubrequest = true),
    P: () => (flags.proxy = true),
    PROXY: () => (flags.proxy = true),
    E: (value) => flags.env.push(parseTemplate(value)),
    ENV: (value) => flags.env.push(parseTemplate(value)),
    CO: (value) => flags.cookies.push(parseTemplate(value)),
    COOKIE: (value) => flags.cookies.push(parseTemplate(value)),
    T: (value) => (flags.type = value),
    TYPE: (value) => (flags.type = value),
    H: (value) => (flags.handler = value),
    HANDLER: (value) => (flags.handler = value),
    PT: () => undefined,
    PASSTHROUGH: () => undefined,
    DPI: () => undefined,
    DISCARDPATH: () => undefined,
    BNP: () => (flags.noPlus = true),
    BACKREFNOPLUS: () => (flags.noPlus = true),
    BNE: () => undefined,
    UNSAFEALLOW3F: () => (flags.allowQuestionMark = true),
    UNSAFEPREFIXSTAT: () => undefined,
    UNC: () => undefined,
  }
  for (const flag of splitFlags(text.trim().replace(/^\[(.*)\]$/s, '$1'))) {
    const equals = flag.indexOf('=')
    const name = (equals === -1 ? flag : flag.slice(0, equals)).trim().toUpperCase()
    if (name === '') continue
    const set = setters[name]
    if (!set) throw new PatternError(`"${name}" is not a flag of RewriteRule`)
    // The value alone may stand in quotes too: E="Cache-Vary:a,b".
    set(equals === -1 ? '' : flag.slice(equals + 1).replace(/^"([^"]*)"$/, '$1'))
  }
  return flags
}

/** Whether flags hold one of the names, e.g. `NC` of conditions and rules. */
export const hasFlag = (text: string, ...names: string[]): boolean =>
  splitFlags(text.trim().replace(/^\[(.*)\]$/s, '$1')).some((flag) =>
    names.includes(flag.trim().toUpperCase()),
  )
