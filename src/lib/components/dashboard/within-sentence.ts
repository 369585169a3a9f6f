/** A sentence without its subject, as it goes on behind one. */
export const withinSentence = (text: string): string =>
  text.slice(0, 1).toLowerCase() + text.slice(1)
