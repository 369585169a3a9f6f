/** What a request's head says of the length of its content; infinite where it says nothing. */
export const contentBytes = (fields: readonly string[]): number => {
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const value = fields[at + 1] as string
    // What is no number is for the session to refuse.
    if (fields[at] === 'content-length' && /^\d{1,15}$/.test(value)) return Number(value)
  }
  return Number.POSITIVE_INFINITY
}
