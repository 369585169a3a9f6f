import type { ClientRequest, IncomingMessage } from 'node:http'

/** What a request is answered, as text; rejects when it is longer than `maxBytes`, or breaks off. */
export const boundedAnswer = (
  outgoing: ClientRequest,
  maxBytes: number,
): Promise<{ incoming: IncomingMessage; text: string }> =>
  new Promise((resolve, reject) => {
    outgoing.on('error', reject)
    outgoing.on('response', (incoming) => {
      const chunks: Buffer[] = []
      let sizeBytes = 0
      incoming.on('data', (chunk: Buffer) => {
        sizeBytes += chunk.length
        if (sizeBytes > maxBytes) outgoing.destroy(new Error('the answer is too large'))
        else chunks.push(chunk)
      })
      incoming.on('error', reject)
      incoming.on('end', () => resolve({ incoming, text: Buffer.concat(chunks).toString('utf8') }))
    })
  })
