import type { IncomingMessage } from 'node:http'

/** A message of an event stream. */
export interface StreamEvent {
  event: string
  data: string
}

/** No event of ours is longer; what has no end is not collected. */
const MAX_CHARS = 2 ** 20

/** The events of a `text/event-stream` body (HTML, 9.2.6), as they come. */
export async function* readEvents(incoming: IncomingMessage): AsyncGenerator<StreamEvent> {
  incoming.setEncoding('utf8')
  let text = ''
  for await (const chunk of incoming) {
    text += String(chunk)
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const fields = text.slice(0, end).split('\n')
      text = text.slice(end + 2)
      const valuesOf = (name: string): string[] =>
        fields
          .filter((field) => field.startsWith(`${name}:`))
          .map((field) => field.slice(name.length + 1).replace(/^ /, ''))
      const data = valuesOf('data')
      if (data.length > 0) yield { event: valuesOf('event')[0] ?? 'message', data: data.join('\n') }
    }
    if (text.length > MAX_CHARS) throw new Error('The panel sent an event without an end.')
  }
}
