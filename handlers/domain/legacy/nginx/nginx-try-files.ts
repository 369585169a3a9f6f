import type { Report } from '../report.ts'
import type { Directive, LegacyRewrite } from '../types.ts'
import { nginxTemplate, type NginxNames } from './values/nginx-variables.ts'

const NO_VARIABLE = 'It uses a variable that Berth does not have. Write the rule out in rewrites.'

/** What `try_files` comes to: rules, and the named location that it ends in. */
export interface TriedFiles {
  rules: LegacyRewrite[]
  named: string | null
}

const lastRule = (target: string, names: NginxNames): LegacyRewrite | null => {
  const kept = target.replace(/(?:\$is_args|\?)\$(?:args|query_string)$/, '')
  const filled = nginxTemplate(kept, names)
  if (filled === null) return null
  // The address as it was asked for has its query.
  const queried = kept !== target || /\?|\$(?:request_uri\b|\{request_uri\})/.test(target)
  const flags = queried ? 'L' : 'L,QSD'
  return { pattern: '^', target: filled, flags, conditions: [] }
}

/** `try_files` as rules that look for files. */
export const convertTryFiles = (
  directive: Directive,
  names: NginxNames,
  report: Report,
): TriedFiles => {
  const rules: LegacyRewrite[] = []
  const last = directive.args.at(-1) ?? ''
  for (const candidate of directive.args.slice(0, -1)) {
    const isDirectory = candidate.endsWith('/')
    const bare = candidate.replace(/\/$/, '')
    const test = isDirectory ? '-d' : '-f'
    if (bare === '$uri') {
      // Not the name of a script alone: for nginx there is no file where a path goes on behind one.
      const conditions = [`%{DOCUMENT_ROOT}%{REQUEST_URI} ${test}`]
      rules.push({ pattern: '^', target: '-', flags: 'L', conditions })
      continue
    }
    if (bare === '$fastcgi_script_name' && names.splits === true) {
      const conditions = ['%{SCRIPT_FILENAME} -f']
      rules.push({ pattern: '^', target: '-', flags: 'L', conditions })
      continue
    }
    const filled = nginxTemplate(bare, names)
    if (filled === null || /\s/.test(filled)) {
      report.lost(directive, NO_VARIABLE)
      continue
    }
    const conditions = [`%{DOCUMENT_ROOT}${filled} ${test}`]
    rules.push({
      pattern: '^',
      target: isDirectory ? `${filled}/` : filled,
      flags: 'L',
      conditions,
    })
  }
  if (last.startsWith('@')) return { rules, named: last }
  const code = /^=(\d{3})$/.exec(last)?.[1]
  if (code === '404') return { rules: rules.filter(({ target }) => target !== '-'), named: null }
  const final =
    code === undefined
      ? lastRule(last, names)
      : { pattern: '^', target: '-', flags: code === '403' ? 'F' : `R=${code}`, conditions: [] }
  if (final === null) report.lost(directive, NO_VARIABLE)
  else rules.push(final)
  return { rules, named: null }
}

/** An expression that holds where `try_files` finds something; null: it cannot be written. */
export const isTried = ({ args }: Directive): string | null => {
  const tests = args.slice(0, -1).map((candidate) => {
    if (candidate === '$uri') return "-f '%{DOCUMENT_ROOT}%{REQUEST_URI}'"
    return candidate === '$uri/' ? "-d '%{DOCUMENT_ROOT}%{REQUEST_URI}'" : null
  })
  return tests.length === 0 || tests.includes(null) ? null : tests.join(' || ')
}
