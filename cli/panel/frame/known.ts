import { z } from 'zod'

/** Anything but what is not there at all. */
const there = z.any().refine((value) => value !== undefined)

const fieldsOf = (fields: readonly string[]) =>
  z.looseObject(Object.fromEntries(fields.map((field) => [field, there])))

/** An answer of the API as its route declares it; throws where one of `fields` is not there. */
export const known = <T>(data: unknown, ...fields: (keyof T & string)[]): T =>
  fieldsOf(fields).parse(data) as T

/** The same of a list. */
export const knownRows = <T>(data: unknown, ...fields: (keyof T & string)[]): T[] =>
  z.array(fieldsOf(fields)).parse(data) as T[]
