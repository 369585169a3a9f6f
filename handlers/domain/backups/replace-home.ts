const PATH_CHARACTER = /[\w./-]/
/** A dot counts where a name goes on behind it: `/home/shop.old` is another folder. */
const GOES_ON = /^(?:[\w-]|\.[\w.-])/

/** Whether a path may begin at `at`: no other path goes on there, unless it is the host-less part of an address. */
const beginsAt = (text: string, at: number): boolean =>
  at === 0 || !PATH_CHARACTER.test(text.charAt(at - 1)) || text.startsWith('://', at - 3)

/** The text with the path of one home in the place of another, and how often; paths of other homes stay. One pass. */
export const replaceHome = (
  text: string,
  from: string,
  to: string,
): { text: string; count: number } => {
  const parts: string[] = []
  let done = 0
  for (let at = text.indexOf(from); at !== -1; at = text.indexOf(from, at + from.length)) {
    const end = at + from.length
    if (!beginsAt(text, at) || GOES_ON.test(text.slice(end, end + 2))) continue
    parts.push(text.slice(done, at), to)
    done = end
  }
  return { text: parts.join('') + text.slice(done), count: parts.length / 2 }
}

/** As `replaceHome`, of several homes, of which the one that it is to be stays. */
export const replaceHomes = (
  text: string,
  from: readonly string[],
  to: string,
): { text: string; count: number } =>
  from
    .filter((home) => home !== to)
    .reduce(
      (done, home) => {
        const { text: replaced, count } = replaceHome(done.text, home, to)
        return { text: replaced, count: done.count + count }
      },
      { text, count: 0 },
    )
