import { AppError } from '../../errors.ts'

/** The whole body of a request; 413 as soon as more than `maxBytes` have come. */
export const readBytes = async (
  request: Request,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer>> => {
  const tooLarge = () =>
    new AppError(413, `The request body is larger than ${Math.floor(maxBytes / 2 ** 20)} MiB.`)
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) throw tooLarge()
  const parts: Uint8Array[] = []
  let size = 0
  if (request.body !== null) {
    const reader: ReadableStreamDefaultReader<Uint8Array> = request.body.getReader()
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      size += value.length
      if (size > maxBytes) {
        // Not awaited: the other side may never acknowledge.
        void reader.cancel().catch(() => undefined)
        throw tooLarge()
      }
      parts.push(value)
    }
  }
  const whole = new Uint8Array(size)
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}
