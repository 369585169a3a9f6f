import { printable } from '../../terminal/printable.ts'
import { paint, stateColor } from '../../terminal/paint.ts'

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const scalar = (value: unknown): string => {
  if (value === null || value === undefined || value === '') return '-'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  const text = printable(String(value))
  const color = stateColor(text)
  return color === null ? text : paint(color, text)
}

const linesOf = (record: Readonly<Record<string, unknown>>, indent: string): string[] => {
  const entries = Object.entries(record)
  const width = Math.max(0, ...entries.map(([key]) => key.length))
  return entries.flatMap(([key, value]): string[] => {
    const head = `${indent}${printable(key).padEnd(width)}  `
    if (isRecord(value)) {
      const inner = linesOf(value, `${indent}  `)
      return inner.length === 0 ? [`${head}none`] : [`${indent}${printable(key)}`, ...inner]
    }
    if (!Array.isArray(value)) return [head + scalar(value)]
    if (value.every((item) => !isRecord(item)))
      return [head + (value.length === 0 ? 'none' : value.map(scalar).join(', '))]
    return [
      `${indent}${printable(key)}`,
      ...value.flatMap((item, at) =>
        isRecord(item)
          ? [...(at === 0 ? [] : ['']), ...linesOf(item, `${indent}  `)]
          : [`${indent}  ${scalar(item)}`],
      ),
    ]
  })
}

/** Prints a record of the API, one field a line. */
export const showRecord = (value: unknown): void => {
  console.log(isRecord(value) ? linesOf(value, '').join('\n') : scalar(value))
}
