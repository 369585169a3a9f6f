import type { ZodType } from 'zod'
import { AppError, invalid } from '../../errors.ts'
import { readBytes } from '../../read-bytes.ts'

const MIB = 2 ** 20
const MAX_DEPTH = 32

/** Throws 400 when brackets nest deeper than `MAX_DEPTH`; a scan, so that no parser recurses first. */
const assertShallow = (text: string): void => {
  let depth = 0
  let inString = false
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (inString) {
      if (code === 0x5c) at++
      else if (code === 0x22) inString = false
    } else if (code === 0x22) inString = true
    else if (code === 0x5b || code === 0x7b) {
      if (++depth > MAX_DEPTH) {
        throw new AppError(400, `The JSON body is nested deeper than ${MAX_DEPTH} levels.`)
      }
    } else if (code === 0x5d || code === 0x7d) depth--
  }
}

const tooLarge = (maxBytes: number): AppError =>
  new AppError(413, `The request body is larger than ${Math.floor(maxBytes / MIB)} MiB.`)

/** The whole body of a request; 413 as soon as more than `maxBytes` have come. */
export const readBodyBytes = async (
  request: Request,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer>> => {
  const bytes = await readBytes(request, maxBytes)
  if (bytes === null) throw tooLarge(maxBytes)
  return bytes
}

const readText = async (request: Request, maxBytes: number): Promise<string> => {
  const bytes = await readBodyBytes(request, maxBytes)
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes)
  } catch {
    throw new AppError(400, 'The request body is not valid UTF-8.')
  }
}

/** Throws 400 naming the first field that `schema` refuses. */
export const check = <T>(schema: ZodType<T>, value: unknown): T => {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const issue = result.error.issues[0]
  const field = issue?.path.map(String).join('.') ?? ''
  if (field === '') {
    throw new AppError(
      400,
      issue === undefined || issue.code === 'invalid_type'
        ? 'The request body must be a JSON object such as {"name": "value"}.'
        : issue.message,
    )
  }
  const message = issue?.message ?? 'is not valid'
  throw invalid(field, message.startsWith(field) ? message : `${field}: ${message}`)
}

/**
 * The JSON body of a request, checked by `schema`. 415 for another media type,
 * 413 above `maxBytes` (default 1 MiB), 400 for malformed JSON or a bad field.
 * With `optional`, no body at all is read as `{}`. `seen` is told what was sent,
 * before it is checked.
 */
export const readBody = async <T>(
  request: Request,
  schema: ZodType<T>,
  options: { maxBytes?: number; optional?: boolean; seen?: (value: unknown) => void } = {},
): Promise<T> => {
  const type = request.headers.get('content-type')
  const isJson = type !== null && /^application\/json\s*(;|$)/i.test(type)
  if (!isJson && !(options.optional === true && type === null)) {
    throw new AppError(415, 'The body must be JSON: send "Content-Type: application/json".')
  }
  const text = await readText(request, options.maxBytes ?? MIB)
  if (text === '' && options.optional === true) return check(schema, {})
  assertShallow(text)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new AppError(400, 'The request body is not valid JSON.')
  }
  options.seen?.(value)
  return check(schema, value)
}
