/** A table; `|` and line ends in cells are made harmless. Columns named in `right` are aligned to the right. */
export const markdownTable = (
  head: readonly string[],
  rows: readonly (readonly string[])[],
  right: readonly string[] = [],
): string => {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll(/\s*\n\s*/g, ' ')).join(' | ')} |`
  return [
    line(head),
    line(head.map((name) => (right.includes(name) ? '--:' : '---'))),
    ...rows.map(line),
  ].join('\n')
}
