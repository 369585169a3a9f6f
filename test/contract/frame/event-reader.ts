/** A message of an event stream, as a client reads it. */
export interface ReceivedEvent {
  id: number
  event: string
  data: Record<string, unknown>
}

/** Reads the events of a response one after the other; null at its end. */
export const readEvents = (response: Response) => {
  const reader = (response.body ?? new ReadableStream<Uint8Array>()).getReader()
  const decoder = new TextDecoder()
  let text = ''
  const messages: string[] = []
  const more = async (): Promise<boolean> => {
    const { done, value } = await reader.read()
    if (done) return false
    text += decoder.decode(value, { stream: true })
    const parts = text.split('\n\n')
    text = parts.pop() ?? ''
    messages.push(...parts)
    return true
  }
  return {
    async next(): Promise<ReceivedEvent | null> {
      for (;;) {
        const message = messages.shift()
        if (message === undefined) {
          if (!(await more())) return null
          continue
        }
        const fields = new Map(
          message
            .split('\n')
            .map((line) => [line.split(': ')[0], line.slice(line.indexOf(': ') + 2)]),
        )
        if (!fields.has('event')) continue
        return {
          id: Number(fields.get('id')),
          event: fields.get('event') ?? '',
          data: JSON.parse(fields.get('data') ?? 'null') as Record<string, unknown>,
        }
      }
    },
    async all(): Promise<ReceivedEvent[]> {
      const events: ReceivedEvent[] = []
      for (let event = await this.next(); event !== null; event = await this.next()) {
        events.push(event)
      }
      return events
    },
    cancel: () => reader.cancel(),
  }
}
