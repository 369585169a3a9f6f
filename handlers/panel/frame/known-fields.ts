import type { ZodType } from 'zod'
import { z } from 'zod'
import { AppError, invalid } from '../../errors.ts'
import { nearestField } from '../../domain/text/nearest-field.ts'

/** Where a field stands in a request. */
export type FieldPlace = 'body' | 'query'

/** The fields of an object that a schema takes; null for one whose fields cannot be told, such as a record. */
export const fieldsOf = (schema: ZodType): Readonly<Record<string, ZodType>> | null => {
  if (schema instanceof z.ZodObject) return schema.shape as Record<string, ZodType>
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault
  )
    return fieldsOf(schema.unwrap() as ZodType)
  if (schema instanceof z.ZodPipe) return fieldsOf(schema.in as ZodType)
  return null
}

/** More than any request has; looking for what each was meant to be takes its time. */
const MAX_UNKNOWN = 100

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const NOUN = { body: 'field', query: 'parameter' } as const

/** The field's own name is the caller's text: it is cut, and JSON's signs keep it on its line. */
const quoted = (name: string): string => JSON.stringify(name.slice(0, 64))

const list = (names: readonly string[]): string =>
  names.length === 0 ? 'It takes none.' : `It takes ${names.join(', ')}.`

/**
 * Throws 400 for a field that is nearly a known one, which was meant, and where
 * a request is `strict` for every unknown one. What else is unknown is ignored,
 * as the API document says. `elsewhere`: the fields of the request's other place.
 */
export const checkFieldNames = (
  schema: ZodType | undefined,
  value: unknown,
  rule: { place: FieldPlace; strict: boolean; elsewhere?: readonly string[] },
  path = '',
): void => {
  const fields = schema === undefined ? {} : fieldsOf(schema)
  if (fields === null || !isObject(value)) return
  const names = Object.keys(fields)
  const given = Object.keys(value)
  if (given.length > names.length + MAX_UNKNOWN)
    throw new AppError(
      400,
      `The ${rule.place} has ${given.length} ${NOUN[rule.place]}s. ${list(names)}`,
    )
  for (const name of given) {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined
    if (field !== undefined) {
      checkFieldNames(field, value[name], rule, `${path}${name}.`)
      continue
    }
    const { place, strict, elsewhere = [] } = rule
    const said = `${path}${name}`.slice(0, 64)
    if (path === '' && strict && elsewhere.includes(name))
      throw invalid(
        said,
        `${quoted(name)} belongs ${place === 'body' ? 'into the query of the address' : 'into the body'}, not into the ${place}.`,
      )
    const meant = nearestField(name, names, (known) => Object.hasOwn(value, known))
    if (meant !== null)
      throw invalid(
        said,
        `There is no ${NOUN[place]} ${quoted(path + name)}. Write ${quoted(path + meant)}.`,
      )
    if (strict)
      throw invalid(said, `There is no ${NOUN[place]} ${quoted(path + name)}. ${list(names)}`)
  }
}

const MAX_STRAY_BYTES = 65_536

/**
 * Throws 400 when a request that takes no body has one: whoever names what to
 * delete there would otherwise delete more than was meant.
 */
export const assertNoBody = async (request: Request, query: readonly string[]): Promise<void> => {
  if (request.body === null) return
  if (Number(request.headers.get('content-length') ?? 0) > MAX_STRAY_BYTES)
    throw new AppError(413, 'This request takes no body.')
  const text = await request.text()
  if (text.trim() === '') return
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new AppError(400, 'This request takes no body.')
  }
  if (!isObject(value)) throw new AppError(400, 'This request takes no body.')
  checkFieldNames(undefined, value, { place: 'body', strict: true, elsewhere: query })
}
