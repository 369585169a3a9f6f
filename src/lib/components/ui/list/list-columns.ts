import { moment } from '$lib/format/time/time-zone'
import { relativeTime } from '$lib/format/timestamp'
import { texts } from '$lib/texts'
import type { ListColumn } from './list-types'

/** The column that says since when there is something. */
export const createdColumn = <Row extends { created_at: string }>(
  hidden = 'max-[1340px]:hidden',
): ListColumn<Row> => ({
  id: 'created',
  label: texts.account.usage.created,
  sort: 'created_at',
  class: hidden,
  cell: 'whitespace-nowrap text-muted',
  text: ({ created_at }) => relativeTime(created_at),
  title: ({ created_at }) => moment(created_at),
})
