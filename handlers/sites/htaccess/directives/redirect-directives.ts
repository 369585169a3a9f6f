import { compilePattern } from '../../rewrite/pattern/pattern.ts'
import type { RulePlace } from '../../rewrite/rule-trace.ts'
import { parseTemplate } from '../../rewrite/template.ts'
import { DirectiveError } from './directive-error.ts'
import type { DirectiveReader, Step } from './directive-types.ts'
import type { ErrorDocument, RedirectRule } from '../files/settings.ts'

const STATUSES: Readonly<Record<string, number>> = {
  permanent: 301,
  temp: 302,
  seeother: 303,
  gone: 410,
}

/** A target as a template: `%` stands for itself, without a pattern `$` as well. */
const escapedFor = (isWhole: boolean, to: string): string =>
  to.replace(isWhole ? /[\\$%]/g : /%/g, '\\$&')

/** `Redirect [status] from [to]`; the status may be a word. */
const readRedirect = (
  args: string[],
  isMatch: boolean,
  fixed: number | null,
  { source, line }: RulePlace,
): Step => {
  const rest = [...args]
  let status = fixed ?? 302
  const word = rest[0] ?? ''
  const named = fixed === null ? (STATUSES[word.toLowerCase()] ?? null) : null
  if (named !== null) status = named
  else if (fixed === null && /^[1-5]\d\d$/.test(word)) status = Number(word)
  if (named !== null || (fixed === null && /^[1-5]\d\d$/.test(word))) rest.shift()
  // One argument alone is the target: everything below this directory goes there.
  const leads = status >= 300 && status <= 399
  const isWhole = leads && rest.length === 1 && !isMatch
  if (isWhole) rest.unshift('/')
  const [from, to = null] = rest
  if (from === undefined) throw new DirectiveError('Redirect needs a path')
  if (leads && to === null) throw new DirectiveError('Redirect needs an address to lead to')
  if (!isMatch && !from.startsWith('/')) {
    throw new DirectiveError('Redirect to non-path: the path must begin with "/"')
  }
  const rule: RedirectRule = {
    status,
    from: isMatch || isWhole ? compilePattern(from) : from,
    to: leads ? to : null,
    toTemplate: to !== null && (isMatch || isWhole) ? parseTemplate(escapedFor(isWhole, to)) : null,
    place: { source, line },
  }
  return (settings) => {
    settings.redirects.push(rule)
  }
}

const readErrorDocument: DirectiveReader = (args, _context, text) => {
  const status = Number(args[0])
  const value = args[1]
  if (!Number.isInteger(status) || status < 400 || status > 599) {
    throw new DirectiveError('ErrorDocument needs a status from 400 to 599')
  }
  if (value === undefined) throw new DirectiveError('ErrorDocument needs a page or a text')
  const raw = text.replace(/^\S+\s+/, '')
  let document: ErrorDocument | null
  if (/^https?:\/\//i.test(value)) document = { kind: 'url', url: value }
  else if (value.startsWith('/')) document = { kind: 'path', path: value }
  else if (value.toLowerCase() === 'default') document = null
  else {
    // Before 2.0 a text was marked by one quote at its beginning only.
    const plain = raw.startsWith('"') && !/[^\\]"\s*$/.test(raw.slice(1)) ? raw.slice(1) : null
    document = { kind: 'text', text: plain ?? args.slice(1).join(' ') }
  }
  return (settings) => {
    settings.errorDocuments.set(status, document)
  }
}

/** mod_alias and the pages of errors. */
export const REDIRECT_DIRECTIVES: Readonly<Record<string, DirectiveReader>> = {
  redirect: (args, context) => readRedirect(args, false, null, context),
  redirectmatch: (args, context) => readRedirect(args, true, null, context),
  redirectpermanent: (args, context) => readRedirect(args, false, 301, context),
  redirecttemp: (args, context) => readRedirect(args, false, 302, context),
  errordocument: readErrorDocument,
}
