/** The number of a file of a group: the whole text, or that of the line that begins with `key`. Null: none. */
export const numberIn = (text: string, key?: string): number | null => {
  const line =
    key === undefined
      ? text.trim()
      : text
          .split('\n')
          .find((one) => one.startsWith(`${key} `))
          ?.slice(key.length + 1)
          .trim()
  return line !== undefined && /^\d+$/.test(line) ? Number(line) : null
}
