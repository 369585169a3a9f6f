import { z } from 'zod'

/**
 * Names, versions, dates, identifiers. The bounds of answers are far above what an honest host
 * says and only keep a host that is not one from filling the panel with what it likes.
 */
export const short = z.string().max(1024)
/** Paths, reasons, lines of settings. */
export const line = z.string().max(16_384)
/** Contents of files, pieces of archives, lines of logs; the transport bounds the whole answer. */
export const long = z.string().max(64 * 2 ** 20)

/** Nothing here has more issues than one bad value has: a list of millions of them must not fill the memory. */
const firstIssue = (
  error: z.ZodError,
  at: PropertyKey,
  context: { addIssue(issue: { code: 'custom'; message: string; path: PropertyKey[] }): void },
): never => {
  const issue = error.issues[0]
  context.addIssue({
    code: 'custom',
    message: issue?.message ?? 'is not valid',
    path: [at, ...(issue?.path ?? [])],
  })
  return z.NEVER
}

/** A list whose length is looked at before its items, and which is left at the first bad one. */
export const listOf = <Item extends z.ZodType>(item: Item, maxItems: number) =>
  z
    .custom<unknown[]>(Array.isArray, 'must be a list')
    .refine((items) => items.length <= maxItems, { error: 'too many items', abort: true })
    .transform((items, context): z.output<Item>[] => {
      const taken: z.output<Item>[] = []
      for (const [at, value] of items.entries()) {
        const one = item.safeParse(value)
        if (!one.success) return firstIssue(one.error, at, context)
        taken.push(one.data)
      }
      return taken
    })

/** A list that grows with accounts, sites or files. */
export const many = <Item extends z.ZodType>(item: Item) => listOf(item, 1_000_000)
/** A list that a person has set up, or that the software bounds. */
export const few = <Item extends z.ZodType>(item: Item) => listOf(item, 1000)

const MAX_KEYS = 100_000
const MAX_KEY_CHARS = 1024
const NO_KEY = z.never().safeParse(null)
/** Values by names that are not known before. */
export const mapOf = <Value extends z.ZodType>(value: Value) =>
  z
    .custom<Record<string, unknown>>(
      (all) => typeof all === 'object' && all !== null && !Array.isArray(all),
      'must be an object',
    )
    .refine((all) => Object.keys(all).length <= MAX_KEYS, { error: 'too many keys', abort: true })
    .transform((all, context): Record<string, z.output<Value>> => {
      const taken: [string, z.output<Value>][] = []
      for (const [key, held] of Object.entries(all)) {
        const one = key.length > MAX_KEY_CHARS ? NO_KEY : value.safeParse(held)
        if (!one.success) return firstIssue(one.error, key, context)
        taken.push([key, one.data])
      }
      return Object.fromEntries(taken)
    })

/** How many values and names of values there are in `value`; counted no further than `most`. */
const partsOf = (value: unknown, most: number): number => {
  const left = [value]
  let parts = 0
  for (let one = left.pop(); parts <= most && one !== undefined; one = left.pop()) {
    parts += 1
    if (typeof one !== 'object' || one === null) continue
    const inside: readonly unknown[] = Array.isArray(one) ? one : Object.values(one)
    if (parts + inside.length > most) return most + 1
    for (const part of inside) left.push(part)
  }
  return parts
}

/** What `schema` reads, which is asked of nothing that has more parts: it would find a fault in each. */
export const ofFewParts = <Schema extends z.ZodType>(schema: Schema, most: number) =>
  z
    .unknown()
    .refine((value) => partsOf(value, most) <= most, { error: 'too many parts', abort: true })
    .pipe(schema)

/** Of methods that answer nothing; whatever was said is dropped. */
export const done = z.unknown().transform((): void => undefined)

/** `read` changes nothing on the host and may be asked again; `change` must not be repeated blindly. */
export type MethodKind = 'read' | 'change'

/** What is known of a method beside its argument. */
export interface MethodAnswer<Output extends z.ZodType = z.ZodType> {
  output: Output
  kind: MethodKind
  /** Seconds until the caller stops waiting and answers 503. */
  limitSecs: number
  /** Whether the answer is a secret, which nobody may write down; absent: no. */
  isSecret?: boolean
}

/** Of what the host knows or finds at once. */
const QUICK_SECS = 60
/** Of what asks programs, other servers or large directories; also of all changes. As long as the transport waits. */
export const SLOW_SECS = 900

/** A method that changes nothing. `limitSecs` is 60 unless it is said. */
export const read = <Output extends z.ZodType>(
  output: Output,
  { limitSecs = QUICK_SECS }: { limitSecs?: number } = {},
): MethodAnswer<Output> & { kind: 'read' } => ({ output, kind: 'read', limitSecs })

/** A method that changes something. */
export const change = <Output extends z.ZodType>(
  output: Output,
  { limitSecs = SLOW_SECS, isSecret = false }: { limitSecs?: number; isSecret?: boolean } = {},
): MethodAnswer<Output> & { kind: 'change' } => ({ output, kind: 'change', limitSecs, isSecret })
