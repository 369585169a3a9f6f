import type { Bar, Unit } from './row.ts'

/** Three digits that count, without an exponent. */
const digits = (value: number): string =>
  Math.abs(value) >= 100
    ? value.toFixed(0)
    : Math.abs(value) >= 10
      ? value.toFixed(1)
      : value.toFixed(2)

/** e.g. `1.53 x`, `12.0 ms`. */
export const formatValue = (value: number, unit: Unit): string => `${digits(value)} ${unit}`

/** e.g. `≥ 1.50 x`; `told` where nothing is demanded. */
export const formatBar = (bar: Bar | null, unit: Unit): string => {
  if (bar === null) return 'told'
  const least = bar.atLeast === undefined ? [] : [`≥ ${formatValue(bar.atLeast, unit)}`]
  const most = bar.atMost === undefined ? [] : [`≤ ${formatValue(bar.atMost, unit)}`]
  return [...least, ...most].join(', ')
}
