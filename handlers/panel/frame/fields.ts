import { z, type ZodRawShape } from 'zod'
import { PLAN_LIMITS } from '../../domain/accounts/plan-limits.ts'
import { hasControlCharacters } from '../../domain/text/control-characters.ts'

/** A required string; the message names the field by itself. */
export const text = (field: string, maxLength = 4096) =>
  z
    .string({
      error: (issue) =>
        `${field} ${issue.input === undefined ? 'is required.' : 'must be a string.'}`,
    })
    .max(maxLength, `${field} must be at most ${maxLength} characters.`)

/**
 * A password that is being set: 8-200 characters on one line. The system's
 * password tools read lines, so a line break would end it.
 */
export const newPassword = (field: string) =>
  text(field, 200)
    .min(8, `${field} must be at least 8 characters.`)
    .refine(
      (value) => !hasControlCharacters(value),
      `${field} must not contain control characters.`,
    )
    .refine((value) => value.isWellFormed(), `${field} must be valid Unicode.`)

/** What people call something: a line that begins and ends with a letter, say. May be empty. */
export const label = (field: string, maxLength: number) =>
  text(field, maxLength).refine(
    (name) => name === name.trim() && !hasControlCharacters(name) && name.isWellFormed(),
    `${field} must not begin or end with blanks or contain control characters.`,
  )

/** Name of an administrator: 3-64 characters. */
export const adminName = (field: string) =>
  label(field, 64).min(3, `${field} must be at least 3 characters.`)

/** Whether a moment of `moment` is on the calendar; a day alone is its beginning. */
export const isMoment = (value: string): boolean => {
  const [day = '', time = '00:00:00'] = value.split(' ')
  const at = new Date(`${day}T${time}Z`)
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(`${day}T${time}`)
}

/** A moment, `YYYY-MM-DD` or with the time, UTC. */
export const moment = (field: string) =>
  text(field, 19).regex(/^\d{4}-\d\d-\d\d( \d\d:\d\d:\d\d)?$/, {
    error: `${field} must be YYYY-MM-DD or YYYY-MM-DD HH:MM:SS, in UTC.`,
    abort: true,
  })

/** A required id. */
export const id = (field: string) =>
  z
    .int({
      error: (issue) =>
        `${field} ${issue.input === undefined ? 'is required.' : 'must be a positive integer.'}`,
    })
    .positive(`${field} must be a positive integer.`)

/**
 * A positive integer of a path or query, at most `max`; the handler gets a number.
 * It is a text on the wire, and the document calls it what it means.
 */
export const numberText = (field: string, max = Number.MAX_SAFE_INTEGER) =>
  z
    .string({ error: `${field} is required.` })
    .min(1, `${field} is required.`)
    .refine((value) => /^[1-9]\d{0,15}$/.test(value) && Number.isSafeInteger(Number(value)), {
      error: `${field} must be a positive integer.`,
      abort: true,
    })
    .transform(Number)
    .refine((value) => value <= max, `${field} must be at most ${max}.`)
    .meta({
      type: 'integer',
      minimum: 1,
      minLength: undefined,
      ...(max === Number.MAX_SAFE_INTEGER ? {} : { maximum: max }),
    })

/** Yes or no. */
export const flag = (field: string) => z.boolean({ error: `${field} must be true or false.` })

/** One of a few words. */
export const oneOf = <const T extends readonly [string, ...string[]]>(field: string, words: T) =>
  z.enum(words, {
    error: (issue) =>
      issue.input === undefined
        ? `${field} is required.`
        : `${field} must be one of ${words.join(', ')}.`,
  })

/** A quota in megabytes, of a plan or of an account. */
export const megabytes = (field: 'disk_quota_mb' | 'bandwidth_quota_mb') => {
  const [least, most] = PLAN_LIMITS[field]
  return z
    .int({ error: `${field} must be a whole number of megabytes.` })
    .min(least, `${field} must be at least ${least}.`)
    .max(most, `${field} must be at most ${most}.`)
}

/** A change of a record: an object of optional fields, of which one of `names` at least is there. */
export const changes = <Shape extends ZodRawShape>(
  shape: Shape,
  names: readonly (keyof Shape)[] = Object.keys(shape),
) =>
  z
    .object(shape)
    .refine(
      (fields: object) => names.some((name) => Reflect.get(fields, name) !== undefined),
      `Nothing to change: name at least one of ${names.join(', ')}.`,
    )
