import { texts } from '../../texts/index.ts'

export interface Sorting<Column extends string> {
  column: Column
  descending: boolean
}

/** A sorted copy; texts by collation with numbers in them by value, numbers by value. */
export const sorted = <Row, Column extends string>(
  rows: readonly Row[],
  sorting: Sorting<Column>,
  valueOf: (row: Row, column: Column) => string | number,
): Row[] => {
  const collator = new Intl.Collator(texts.locale, { numeric: true, sensitivity: 'base' })
  const sign = sorting.descending ? -1 : 1
  return [...rows].sort((a, b) => {
    const left = valueOf(a, sorting.column)
    const right = valueOf(b, sorting.column)
    return typeof left === 'number' && typeof right === 'number'
      ? sign * (left - right)
      : sign * collator.compare(String(left), String(right))
  })
}
