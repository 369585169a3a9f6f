import { decimal } from '$lib/format/decimal'
import { texts } from '$lib/texts'

/** Percent that a part is of the whole; 0 of nothing. */
export const percentOf = (part: number, whole: number): number =>
  whole === 0 ? 0 : Math.min(100, (part / whole) * 100)

/** e.g. `4.2 %`; what is there, but rounds to nothing, is below 0.1. */
export const shareText = (part: number, whole: number): string => {
  const percent = percentOf(part, whole)
  const figure =
    part > 0 && percent < 0.1
      ? `< ${decimal(0.1, 1)}`
      : decimal(percent, percent >= 10 || percent === 0 ? 0 : 1)
  return texts.charts.percent(figure).replaceAll(' ', '\u00a0')
}
