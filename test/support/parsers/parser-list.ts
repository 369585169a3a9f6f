/** Who writes the texts that a parser reads. */
export type Writer = 'visitor' | 'tenant' | 'script' | 'upstream' | 'administrator' | 'machine'

/** Reads one text; what it answers or throws does not matter, only that it ends. */
export type ReadText = (text: string) => unknown

/** One function that reads texts of others. */
export interface ListedParser {
  /** `FILE EXPORT`, the file relative to the project. */
  name: string
  writer: Writer
  /** The longest text that reaches it. */
  maxBytes: number
  read: ReadText
}

/** Parsers that read what one writer sends through one door, by name. */
export const parsersOf = (
  writer: Writer,
  maxBytes: number,
  readers: Readonly<Record<string, ReadText>>,
): ListedParser[] =>
  Object.entries(readers).map(([name, read]) => ({ name, writer, maxBytes, read }))

/** Reads each text as it is, and behind each of `openings`, which lead on to where it is looked at. */
export const opened =
  (openings: readonly string[], read: ReadText): ReadText =>
  async (text) => {
    for (const opening of ['', ...openings])
      try {
        await read(opening + text)
      } catch {
        // Refused in time.
      }
  }

const encoder = new TextEncoder()

/** The text as UTF-8. */
export const bytesOf = (text: string): Buffer<ArrayBuffer> => Buffer.from(encoder.encode(text))

/** Header fields with the text as the value of each of `names`; throws for texts that no field can hold. */
export const fieldsOf = (names: readonly string[], text: string): Headers =>
  new Headers(names.map((name): [string, string] => [name, text.replace(/[^\t\x20-\x7e]/g, '?')]))

/** Takes what a decoder tells. */
export const ignore = (): void => undefined

/** The text in pieces, as a connection brings them. */
export async function* piecesOf(text: string): AsyncGenerator<Buffer<ArrayBuffer>> {
  const bytes = bytesOf(text)
  for (let at = 0; at < bytes.length; at += 4096) yield bytes.subarray(at, at + 4096)
}
