import type { RuleRequest } from './rule-request.ts'
import { dependencyOf, variableOf, type Dependency } from './variables.ts'

/** A text with `$1`, `%1` and `%{VARIABLE}` in it. */
export type Template = readonly TemplatePart[]

type TemplatePart =
  | { kind: 'text'; text: string }
  | { kind: 'rule'; group: number }
  | { kind: 'condition'; group: number }
  | { kind: 'variable'; name: string }
  | { kind: 'map'; name: string; argument: Template }

/** Groups that the last patterns found. */
export interface Found {
  rule: readonly string[]
  condition: readonly string[]
}

export const NOTHING_FOUND: Found = { rule: [], condition: [] }

/** Index of the brace that closes the one before `from`; -1 without one. */
const closingBrace = (text: string, from: number): number => {
  let open = 1
  for (let at = from; at < text.length; at++) {
    if (text[at] === '{') open++
    else if (text[at] === '}' && --open === 0) return at
  }
  return -1
}

/** Reads a template. A backslash takes its meaning from the next character. */
export const parseTemplate = (source: string): Template => {
  const parts: TemplatePart[] = []
  let text = ''
  const add = (part: TemplatePart): void => {
    if (text !== '') parts.push({ kind: 'text', text })
    text = ''
    parts.push(part)
  }
  for (let at = 0; at < source.length; at++) {
    const character = source[at] as string
    const next = source[at + 1] ?? ''
    if (character === '\\' && next !== '') {
      text += next
      at++
    } else if ((character === '$' || character === '%') && /\d/.test(next)) {
      add({ kind: character === '$' ? 'rule' : 'condition', group: Number(next) })
      at++
    } else if ((character === '$' || character === '%') && next === '{') {
      const end = closingBrace(source, at + 2)
      if (end === -1) {
        text += character
        continue
      }
      const inside = source.slice(at + 2, end)
      if (character === '%') add({ kind: 'variable', name: inside })
      else {
        const [name = '', ...rest] = inside.split(':')
        add({ kind: 'map', name: name.toLowerCase(), argument: parseTemplate(rest.join(':')) })
      }
      at = end
    } else text += character
  }
  if (text !== '') parts.push({ kind: 'text', text })
  return parts
}

/** Maps that Apache has built in; they must be declared there, so sites rarely use them. */
const INTERNAL_MAPS: Readonly<Record<string, (text: string) => string>> = {
  tolower: (text) => text.toLowerCase(),
  lowercase: (text) => text.toLowerCase(),
  lc: (text) => text.toLowerCase(),
  toupper: (text) => text.toUpperCase(),
  uc: (text) => text.toUpperCase(),
}

const MAX_EXPANDED = 16_384

/** Fills in a template. `escape` is used for what the rule's own pattern found. */
export const expandTemplate = (
  template: Template,
  found: Found,
  request: RuleRequest,
  escape: (text: string) => string = (text) => text,
): string => {
  let result = ''
  for (const part of template) {
    if (part.kind === 'text') result += part.text
    else if (part.kind === 'rule') result += escape(found.rule[part.group] ?? '')
    else if (part.kind === 'condition') result += escape(found.condition[part.group] ?? '')
    else if (part.kind === 'variable') result += variableOf(part.name, request)
    else {
      const argument = expandTemplate(part.argument, found, request, escape)
      result += INTERNAL_MAPS[part.name]?.(argument) ?? ''
    }
    if (result.length > MAX_EXPANDED) return result.slice(0, MAX_EXPANDED)
  }
  return result
}

/** Which parts of a request a template shows. */
export const dependenciesOf = (template: Template): Dependency[] =>
  template.flatMap((part) => {
    if (part.kind === 'variable') return [dependencyOf(part.name)]
    return part.kind === 'map' ? dependenciesOf(part.argument) : []
  })
