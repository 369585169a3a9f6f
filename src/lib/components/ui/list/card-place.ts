import type { ListColumn } from './list-types'

/** What tells `list-cards.css` where a cell stands in a row's card on phones: the title, or a line with its label. */
export const cardPlace = <Row>(
  columns: readonly (Pick<ListColumn<Row>, 'id' | 'label' | 'heading'> & { unseen?: boolean })[],
  id: string,
): { 'data-title'?: ''; 'data-label'?: string } => {
  const title = columns.find(({ heading }) => heading) ?? columns[0]
  if (title?.id === id) return { 'data-title': '' }
  const column = columns.find((one) => one.id === id)
  return { 'data-label': column === undefined || column.unseen ? '' : column.label }
}
