import { hasColor, paint, stateColor } from './paint.ts'
import { printable } from './printable.ts'

/** A column of a table. */
export interface Column<Row> {
  title: string
  value(row: Row): string | number | boolean | null | undefined
  /** Numbers stand at the right. */
  right?: boolean
  /** The value is a state, shown in its colour. */
  state?: boolean
}

/** Cells that a character takes: East Asian wide characters and pictures two, combining ones none. */
export const displayWidth = (text: string): number => {
  let width = 0
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    width +=
      /\p{Extended_Pictographic}|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/u.test(
        segment,
      )
        ? 2
        : 1
  }
  return width
}

const cellText = (value: ReturnType<Column<unknown>['value']>): string =>
  value === null || value === undefined || value === ''
    ? '-'
    : typeof value === 'boolean'
      ? value
        ? 'yes'
        : 'no'
      : printable(String(value))

/** Lines of a table with a heading; no rows make no lines. */
export const tableLines = <Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  color: boolean = hasColor(),
): string[] => {
  if (rows.length === 0) return []
  const cells = rows.map((row) => columns.map((column) => cellText(column.value(row))))
  const widths = columns.map(({ title }, at) =>
    Math.max(displayWidth(title), ...cells.map((line) => displayWidth(line[at] ?? ''))),
  )
  const line = (texts: readonly string[], dress: (text: string, at: number) => string): string =>
    columns
      .map(({ right }, at) => {
        const text = texts[at] ?? ''
        const gap = ' '.repeat((widths[at] ?? 0) - displayWidth(text))
        const shown = dress(text, at)
        return right === true ? gap + shown : shown + gap
      })
      .join('  ')
      .trimEnd()
  const heading = columns.map(({ title }) => title)
  return [
    line(heading, (text) => paint('bold', text, color)),
    ...cells.map((texts) =>
      line(texts, (text, at) => {
        const state = columns[at]?.state === true ? stateColor(text) : null
        return state === null ? text : paint(state, text, color)
      }),
    ),
  ]
}

/** Prints a table, or `empty` when there are no rows. */
export const printTable = <Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  empty: string,
): void => {
  const lines = tableLines(rows, columns)
  console.log(lines.length === 0 ? empty : lines.join('\n'))
}
