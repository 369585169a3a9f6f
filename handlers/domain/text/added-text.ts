/** Of what was there before, looked for in what there is now. */
const MARK = 512

/** What stands in `now` behind what was there before; all of it where nothing of that is left. */
export const addedText = (before: string, now: string): string => {
  if (now.startsWith(before)) return now.slice(before.length)
  const mark = before.slice(-MARK)
  const at = mark === '' ? -1 : now.lastIndexOf(mark)
  return at === -1 ? now : now.slice(at + mark.length)
}
