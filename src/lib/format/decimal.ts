import { texts } from '../texts/index.ts'

/** A number with exactly `digits` after the decimal sign of the user's language, ungrouped. */
export const decimal = (value: number, digits: number): string =>
  new Intl.NumberFormat(texts.locale, {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
    useGrouping: false,
  }).format(value)
