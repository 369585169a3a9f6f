const MOST = 65_536
/** Kept of the beginning where the whole is too long. */
const HEAD = 16_384
const GAP = '\n[...]\n'

/** The beginning and the end of what a deployment wrote, in 64 kB however much it is. */
export const boundedOutput = (text: string): string =>
  text.length <= MOST
    ? text
    : `${text.slice(0, HEAD)}${GAP}${text.slice(text.length - (MOST - HEAD - GAP.length))}`.toWellFormed()

/** The last lines of an output, at most `most` characters, for a message. */
export const endOfOutput = (text: string, most = 1000): string => {
  const trimmed = text.trimEnd()
  if (trimmed.length <= most) return trimmed
  const end = trimmed.slice(trimmed.length - most)
  return end.slice(end.indexOf('\n') + 1).toWellFormed()
}
