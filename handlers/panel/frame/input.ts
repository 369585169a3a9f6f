import type { ZodType } from 'zod'
import { AppError, invalid } from '../../errors.ts'

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

/** The whole body, refused with 413 as soon as more than `maxBytes` have come. */
const readText = async (request: Request, maxBytes: number): Promise<string> => {
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) throw tooLarge(maxBytes)
  if (request.body === null) return ''
  const reader: ReadableStreamDefaultReader<Uint8Array> = request.body.getReader()
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })
  let text = ''
  let size = 0
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return text + decoder.decode()
      size += value.length
      if (size > maxBytes) throw tooLarge(maxBytes)
      text += decoder.decode(value, { stream: true })
    }
  } catch (error) {
    // Not awaited: the other side may never acknowledge.
    void reader.cancel().catch(() => undefined)
    if (error instanceof TypeError) throw new AppError(400, 'The request body is not valid UTF-8.')
    throw error
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
