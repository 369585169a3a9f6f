import type { ZodType } from 'zod'
import { z } from 'zod'
import type { JsonSchema } from './document-types.ts'

/** Turns zod schemas into JSON Schema and gathers the named ones. */
export interface SchemaBook {
  /** What a client sends. Unknown fields are allowed; a strict route's operation forbids them. */
  input(schema: ZodType): JsonSchema
  /** What the API answers; objects have no fields but these. */
  output(schema: ZodType): JsonSchema
  /** Schemas with an `id`, for `components.schemas`. */
  named: Record<string, JsonSchema>
}

const LOCAL = '#/$defs/'

/** `schema` with references into `$defs` made references into the document. */
const relocate = (value: unknown, suffix: string): unknown => {
  if (Array.isArray(value)) return value.map((one) => relocate(one, suffix))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) =>
      key === '$ref' && typeof inner === 'string' && inner.startsWith(LOCAL)
        ? [key, `#/components/schemas/${inner.slice(LOCAL.length)}${suffix}`]
        : [key, relocate(inner, suffix)],
    ),
  )
}

export const createSchemaBook = (): SchemaBook => {
  const named: Record<string, JsonSchema> = {}
  const convert = (schema: ZodType, io: 'input' | 'output'): JsonSchema => {
    const { $schema: _, $defs, ...own } = z.toJSONSchema(schema, { io })
    // The same object may look different on its way in: fields with defaults may be left out.
    const suffix = io === 'input' ? 'Input' : ''
    for (const [id, definition] of Object.entries($defs ?? {})) {
      named[`${id}${suffix}`] = relocate(definition, suffix) as JsonSchema
    }
    const { id, ...rest } = relocate(own, suffix) as JsonSchema
    if (typeof id !== 'string') return rest
    // A named schema that stands alone is given whole instead of as a definition.
    named[`${id}${suffix}`] = rest
    return { $ref: `#/components/schemas/${id}${suffix}` }
  }
  return {
    input: (schema) => convert(schema, 'input'),
    output: (schema) => convert(schema, 'output'),
    named,
  }
}
