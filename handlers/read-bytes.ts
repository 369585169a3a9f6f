/** The whole body of a request, none as an empty one; null as soon as more than `maxBytes` have come. */
export const readBytes = async (
  request: Request,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer> | null> => {
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) return null
  const reader: ReadableStreamDefaultReader<Uint8Array> | undefined = request.body?.getReader()
  const parts: Uint8Array[] = []
  let sizeBytes = 0
  while (reader !== undefined) {
    const { done, value } = await reader.read()
    if (done) break
    sizeBytes += value.byteLength
    if (sizeBytes > maxBytes) {
      // Not awaited: the other side may never acknowledge.
      void reader.cancel().catch(() => undefined)
      return null
    }
    parts.push(value)
  }
  const whole = new Uint8Array(sizeBytes)
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.byteLength
  }
  return whole
}
