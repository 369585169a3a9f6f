import { expect } from 'vitest'
import type { ApiClient, ApiInstance } from './api-instance.ts'

const bearer = ({ token }: ApiClient): Record<string, string> => ({
  authorization: `Bearer ${token}`,
})

/** Of a stream that has nothing to tell. */
const STILL_HERE = ': still here'

/** An event stream that is read up to where it waits for something to tell. */
export const holdStream = async (
  instance: ApiInstance,
  client: ApiClient,
): Promise<{
  /**
   * Whether it tells something more, once it looks again; false at its end.
   *
   * @param wake has it look again
   */
  goesOn(wake: () => Promise<unknown>): Promise<boolean>
}> => {
  const response = await instance.fetch('/api/jobs/events', { headers: bearer(client) })
  expect(response.status).toBe(200)
  const reader = (response.body ?? new ReadableStream<Uint8Array>()).getReader()
  const decoder = new TextDecoder()
  let text = ''
  while (!text.includes(STILL_HERE)) text += decoder.decode((await reader.read()).value)
  const next = reader.read()
  return {
    async goesOn(wake) {
      let told = await next
      // It may have said so before what it is to have heard of.
      if (!told.done && decoder.decode(told.value).startsWith(STILL_HERE)) {
        const again = reader.read()
        await wake()
        told = await again
      }
      await reader.cancel()
      return !told.done
    },
  }
}

/** An upload into `public_html` of which one piece was sent, and whose rest is held back. */
export const holdUpload = async (
  instance: ApiInstance,
  client: ApiClient,
  accountId: number,
  name: string,
): Promise<{
  /** Sends the rest; the status of the answer. */
  finish(): Promise<number>
}> => {
  const begun = () => instance.host.calls.filter((one) => one === 'files.beginUpload').length
  const before = begun()
  let source: ReadableStreamDefaultController<Uint8Array> | undefined
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      source = controller
      controller.enqueue(new TextEncoder().encode('first '))
    },
  })
  const answer = instance.fetch(
    `/api/files/upload?account_id=${accountId}&path=public_html/${name}`,
    {
      method: 'POST',
      body,
      duplex: 'half',
      headers: { ...bearer(client), 'content-type': 'application/octet-stream' },
    } as RequestInit,
  )
  await expect.poll(begun).toBeGreaterThan(before)
  return {
    async finish() {
      source?.enqueue(new TextEncoder().encode('last'))
      source?.close()
      return (await answer).status
    },
  }
}
