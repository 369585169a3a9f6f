/** A short name of a text, to tell versions apart; no protection against people who look for collisions. */
export const hashText = (text: string): string => {
  let first = 0x811c9dc5
  let second = 0x9e3779b9
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    first = Math.imul(first ^ code, 0x01000193)
    second = Math.imul(second ^ code, 0x85ebca6b) ^ (second >>> 13)
  }
  return `${(first >>> 0).toString(36)}${(second >>> 0).toString(36)}${text.length.toString(36)}`
}
