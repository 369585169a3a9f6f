import { columnsText, type ListShape } from './list-address'

/** Name of the cookie that remembers the chosen columns of a list. */
export const columnsCookie = ({ path }: ListShape): string =>
  `berth_columns_${path.replace(/\W/g, '')}`

/** Remembers them for a year; the usual ones are forgotten instead. */
export const rememberColumns = (shape: ListShape, columns: readonly string[]): void => {
  const usual = columns.length === shape.columns.length
  document.cookie = `${columnsCookie(shape)}=${columnsText(columns)}; Path=/; Max-Age=${usual ? 0 : 31536000}; SameSite=Strict`
}
