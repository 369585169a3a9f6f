/** Variable by which a site's rules say that a script works on when its client has left (`E=noabort:1`). */
const NO_ABORT = 'noabort'

/** Whether rules say so; after an internal redirect variables have another name. */
export const isWithoutAbort = (env: ReadonlyMap<string, string>): boolean =>
  [NO_ABORT, `REDIRECT_${NO_ABORT}`].some((name) => (env.get(name) ?? '0') !== '0')

/** The request without the signal that its client has left. */
export const withoutAbort = (request: Request): Request => {
  const { url, method, headers, body } = request
  return new Request(url, { method, headers, ...(body === null ? {} : { body, duplex: 'half' }) })
}

/** The response, whose body is read to its end although nobody wants it any more. */
export const readToItsEnd = (response: Response): Response => {
  const { status, statusText, headers, body } = response
  if (body === null) return response
  const reader = body.getReader()
  const rest = async (): Promise<void> => {
    while (!(await reader.read()).done);
  }
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await reader.read()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    cancel() {
      rest().catch(() => undefined)
    },
  })
  return new Response(stream, { status, statusText, headers })
}
