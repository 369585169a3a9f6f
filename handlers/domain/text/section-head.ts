/** How a section of Apache's files begins. */
export interface SectionHead {
  /** As it is spelled. */
  name: string
  /** What stands between the name and the last `>`, without blanks around it. */
  text: string
}

/** Reads `<Name arguments>`, blanks behind it left out; null where the text is not of that form. */
export const readSectionHead = (line: string): SectionHead | null => {
  const whole = line.trimEnd()
  const begin = /^<\s*([A-Za-z]\w*)/.exec(whole)
  if (begin === null || !whole.endsWith('>')) return null
  return { name: begin[1] ?? '', text: whole.slice(begin[0].length, -1).trim() }
}
