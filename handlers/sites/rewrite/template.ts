import { spend } from './pattern/matching.ts'
import { PatternError } from './pattern/pattern-node.ts'
import type { RuleRequest } from './rule-request.ts'
import { mapText } from './text-maps.ts'
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

const MAX_TEMPLATE = 2048
const MAX_NESTING = 20

/** For each opening brace behind `$` or `%` the index of the one that closes it; nothing where none does. */
const closingBraces = (text: string): ReadonlyMap<number, number> => {
  const found = new Map<number, number>()
  const open: number[] = []
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '{') open.push(at)
    else if (text[at] === '}') {
      const opened = open.pop()
      if (opened !== undefined) found.set(opened, at)
    }
  }
  return found
}

/**
 * Reads a template of up to 2048 characters. A backslash takes its meaning from the next
 * character. `groups`: signs before the digit of a group; expressions know `$` alone.
 * Throws `PatternError` for what is longer, and for maps that nest too deep.
 */
export const parseTemplate = (source: string, groups: '$%' | '$' = '$%'): Template => {
  if (source.length > MAX_TEMPLATE) {
    throw new PatternError(`a text to fill in is longer than ${MAX_TEMPLATE} characters`)
  }
  const braces = closingBraces(source)
  return readTemplate(source, { from: 0, to: source.length, nesting: 0 }, braces, groups)
}

/** The template between `from` and `to`. */
const readTemplate = (
  source: string,
  { from, to, nesting }: { from: number; to: number; nesting: number },
  braces: ReadonlyMap<number, number>,
  groups: string,
): Template => {
  if (nesting > MAX_NESTING) throw new PatternError('a text to fill in nests too deep')
  const parts: TemplatePart[] = []
  let text = ''
  const add = (part: TemplatePart): void => {
    if (text !== '') parts.push({ kind: 'text', text })
    text = ''
    parts.push(part)
  }
  for (let at = from; at < to; at++) {
    const character = source[at] as string
    const next = at + 1 < to ? (source[at + 1] as string) : ''
    if (character === '\\' && next !== '') {
      text += next
      at++
    } else if (groups.includes(character) && /\d/.test(next)) {
      add({ kind: character === '$' ? 'rule' : 'condition', group: Number(next) })
      at++
    } else if ((character === '$' || character === '%') && next === '{') {
      const end = braces.get(at + 1)
      if (end === undefined || end >= to) {
        text += character
        continue
      }
      if (character === '%') add({ kind: 'variable', name: source.slice(at + 2, end) })
      else {
        const colon = source.indexOf(':', at + 2)
        const named = colon !== -1 && colon < end ? colon : end
        const part = { from: Math.min(named + 1, end), to: end, nesting: nesting + 1 }
        const argument = readTemplate(source, part, braces, groups)
        add({ kind: 'map', name: source.slice(at + 2, named).toLowerCase(), argument })
      }
      at = end
    } else text += character
  }
  if (text !== '') parts.push({ kind: 'text', text })
  return parts
}

const MAX_EXPANDED = 16_384
/** Of finding a variable's value, beside the characters of its name and of the value. */
const VARIABLE_STEPS = 8

/**
 * Fills in a template; what is longer than 16 KiB is cut. `escape` is used for what the rule's
 * own pattern found. The text costs a step a character, a variable some more. Throws `PatternLimit`.
 */
export const expandTemplate = (
  template: Template,
  found: Found,
  request: RuleRequest,
  escape: (text: string) => string = (text) => text,
): string => {
  let result = ''
  for (const part of template) {
    const before = result.length
    if (part.kind === 'text') result += part.text
    else if (part.kind === 'rule') result += escape(found.rule[part.group] ?? '')
    else if (part.kind === 'condition') result += escape(found.condition[part.group] ?? '')
    else if (part.kind === 'variable') {
      spend(request.budget, VARIABLE_STEPS + part.name.length)
      result += variableOf(part.name, request)
    } else {
      const argument = expandTemplate(part.argument, found, request, escape)
      result += mapText(part.name, argument)
    }
    spend(request.budget, 1 + result.length - before)
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
