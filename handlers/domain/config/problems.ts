import type { z } from 'zod'
import { editDistance } from '../text/edit-distance.ts'
import type { ConfigProblem } from './config-types.ts'
import { dottedPath, type ConfigPath } from './locate.ts'

/** Where the values being checked stand. */
export interface ConfigPlace {
  file: string
  /** 1-based; 0 where the file does not tell. */
  lineOf: (path: ConfigPath) => number
}

/** A problem at a place in a file. */
export const problemAt = (
  place: ConfigPlace,
  path: ConfigPath,
  message: string,
): ConfigProblem => ({
  file: place.file,
  line: place.lineOf(path),
  key: dottedPath(path),
  message,
})

const KINDS: Record<string, string> = {
  string: 'text in quotes',
  boolean: 'true or false',
  array: 'a list in [ ]',
  object: 'a section',
  record: 'a section',
  int: 'a whole number',
  number: 'a number',
}

const kindOf = (expected: string): string => KINDS[expected] ?? expected

const article = (value: unknown): string => {
  if (value === undefined) return 'missing'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'number') return Number.isInteger(value) ? 'a number' : 'a fraction'
  if (typeof value === 'string') return 'text'
  if (typeof value === 'boolean') return `${value}`
  return value instanceof Date ? 'a date' : 'a section'
}

/** Text for a key that does not exist, with the known key it probably meant. */
export const unknownKeyMessage = (key: string, known: readonly string[]): string => {
  const near = known
    .map((name) => ({ name, steps: editDistance(key, name) }))
    .filter(({ steps }) => steps <= Math.max(1, Math.floor(key.length / 3)))
    .sort((a, b) => a.steps - b.steps)[0]
  return near
    ? `is not a known key. Did you mean "${near.name}"?`
    : `is not a known key. Remove it. Known here: ${known.join(', ')}.`
}

const valueAt = (root: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (value, part) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, part)
        ? Reflect.get(value, part)
        : undefined,
    root,
  )

const messageOf = (issue: z.core.$ZodIssue, input: unknown): string => {
  switch (issue.code) {
    case 'invalid_type': {
      if (input === undefined) return 'is missing. Add it.'
      return `must be ${kindOf(issue.expected)}, but is ${article(input)}.`
    }
    case 'invalid_value':
      return `must be one of ${issue.values.map((value) => JSON.stringify(value)).join(', ')}, but is ${JSON.stringify(input)}.`
    case 'too_small':
      return issue.origin === 'array'
        ? 'must not be empty.'
        : issue.origin === 'string'
          ? issue.message
          : `must be at least ${issue.minimum}, but is ${String(input)}.`
    case 'too_big':
      return `must be at most ${issue.maximum}, but is ${String(input)}.`
    default:
      return issue.message
  }
}

/** The keys that a schema knows at a path below it. */
const shapeKeys = (schema: z.ZodType, path: readonly PropertyKey[]): string[] => {
  let current: unknown = schema
  for (const part of path) current = schemaAt(current, part)
  return Object.keys(shapeOf(current))
}
/** The schema of a member: of a list or a table whose keys are anybody's, that of all. */
const schemaAt = (schema: unknown, part: PropertyKey): unknown => {
  const definition = memberOf(schema, 'def')
  const inner = memberOf(definition, 'innerType')
  if (inner !== undefined) return schemaAt(inner, part)
  return (
    memberOf(definition, 'element') ??
    memberOf(definition, 'valueType') ??
    memberOf(shapeOf(schema), part)
  )
}
const memberOf = (value: unknown, key: PropertyKey): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined
const shapeOf = (schema: unknown): object => {
  const definition = memberOf(schema, 'def')
  const inner = memberOf(definition, 'innerType')
  if (inner !== undefined) return shapeOf(inner)
  const shape = memberOf(definition, 'shape')
  return typeof shape === 'object' && shape !== null ? shape : {}
}

/** Turns everything zod found wrong with the value at `base` into problems with file, line and dotted key. */
export const problemsOf = (
  error: z.ZodError,
  schema: z.ZodType,
  input: unknown,
  base: ConfigPath,
  place: ConfigPlace,
): ConfigProblem[] => {
  const found: ConfigProblem[] = []
  const visit = (issue: z.core.$ZodIssue, prefix: readonly PropertyKey[]): void => {
    const path = [...prefix, ...issue.path]
    const full = [...base, ...path.map((part) => (typeof part === 'symbol' ? '' : part))]
    if (issue.code === 'unrecognized_keys') {
      const known = shapeKeys(schema, path)
      for (const key of issue.keys)
        found.push(problemAt(place, [...full, key], unknownKeyMessage(key, known)))
      return
    }
    if (issue.code === 'invalid_union') {
      // The alternative that got furthest tells most: it accepted the type and refused the value.
      const value = valueAt(input, path)
      const fitting = issue.errors.find((issues) =>
        issues.some(({ code, path: at }) => code !== 'invalid_type' || at.length > 0),
      )
      if (fitting && typeof value !== 'boolean') fitting.forEach((inner) => visit(inner, path))
      else {
        const wanted = issue.errors.flatMap((issues) =>
          issues.flatMap((inner) =>
            inner.code === 'invalid_type' ? [kindOf(inner.expected)] : [],
          ),
        )
        const message = `must be ${wanted.join(' or ')}, but is ${article(value)}.`
        found.push(problemAt(place, full, message))
      }
      return
    }
    if (issue.code === 'invalid_key') {
      found.push(problemAt(place, full, issue.issues[0]?.message ?? 'is not a valid key.'))
      return
    }
    found.push(problemAt(place, full, messageOf(issue, valueAt(input, path))))
  }
  for (const issue of error.issues) visit(issue, [])
  return found
}
