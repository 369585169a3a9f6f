/** Texts that are remembered at most, and the longest of them. */
export interface MemoBounds {
  maxTexts: number
  maxLength: number
}

/**
 * `judge`, which depends on the text alone, with its answers to few and short texts
 * remembered: clients and programs repeat the same ones, and whoever sends ever new
 * ones fills no memory. What throws is asked again.
 */
export const boundedMemo = <T extends object | string | boolean | null>(
  judge: (text: string) => T,
  { maxTexts, maxLength }: MemoBounds,
): ((text: string) => T) => {
  const known = new Map<string, T>()
  return (text) => {
    const before = known.get(text)
    if (before !== undefined) return before
    const answer = judge(text)
    if (text.length > maxLength) return answer
    if (known.size >= maxTexts) known.clear()
    known.set(text, answer)
    return answer
  }
}
