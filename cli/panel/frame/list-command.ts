import type { Column } from '../../terminal/print-table.ts'
import { printTable } from '../../terminal/print-table.ts'
import type { CommandFacts, CommandSpec, OptionSpec, PanelCall } from './command-types.ts'
import { knownRows } from './known.ts'
import type { Query } from './panel-client.ts'

/** A column: its title, the field of the row that it shows, how, and what is shown of it. */
type ListColumn<Row> = readonly [
  title: string,
  field: keyof Row & string,
  look?: 'right' | 'state' | null,
  text?: Column<Row>['value'],
]

/** `Row` is what the API answers, as its route declares it. */
interface ListSpec<Row> extends CommandFacts {
  /** Of the API; may ask it for an id first. */
  path: string | ((call: PanelCall) => string | Promise<string>)
  /** Further parameters. */
  query?(call: PanelCall): Query | Promise<Query>
  /** Fields that `--sort` may name; none: the route knows no paging. */
  sortable?: readonly (keyof Row & string)[]
  columns: readonly ListColumn<Row>[]
  /** Shown where there is nothing. */
  empty: string
}

const listOptions = (sortable: readonly string[]): OptionSpec[] => [
  ['--q <text>', 'only rows with this text in any textual field'],
  ['--sort <field>', 'the field to sort by', { choices: sortable }],
  ['--order <direction>', 'asc or desc', { choices: ['asc', 'desc'] }],
  ['--page <number>', 'page, from 1; without --page and --per-page everything is shown'],
  ['--per-page <number>', 'rows of a page, at most 500 (default with --page: 50)'],
]

/** The options of a list as the API takes them. */
const listQuery = ({ options }: PanelCall): Query => ({
  ...options.texts('q', 'sort', 'order'),
  page: options.number('page', [1]),
  per_page: options.number('perPage', [1]),
})

/** A row's field as a table shows it. */
const cellOf = (value: unknown): string | number | boolean | null =>
  typeof value === 'number' || typeof value === 'boolean' || value === null
    ? value
    : Array.isArray(value)
      ? value.join(' ')
      : String(value)

/** Prints a list of the API as a table, and answers its rows. */
export const printRows = <Row>(
  data: unknown,
  columns: readonly ListColumn<Row>[],
  empty: string,
): Row[] => {
  const rows = knownRows<Row>(data, ...columns.map(([, field]) => field))
  const shown = columns.map(([title, field, look, text]) => ({
    title,
    value: text ?? ((row: Row) => cellOf(row[field])),
    right: look === 'right',
    state: look === 'state',
  }))
  printTable(rows, shown, empty)
  return rows
}

/** A command that shows a list of the API as a table. */
export const listCommand = <Row>(spec: ListSpec<Row>): CommandSpec => {
  const { sortable, columns, empty, path, query, options = [], ...rest } = spec
  return {
    ...rest,
    options: [...options, ...(sortable === undefined ? [] : listOptions(sortable))],
    async run(call) {
      const where = typeof path === 'string' ? path : await path(call)
      const { data, total } = await call.panel.answer('GET', where, {
        query: { ...(sortable && listQuery(call)), ...(await query?.(call)) },
      })
      call.print(data, () => {
        const rows = printRows(data, columns, empty)
        if (total !== null && total > rows.length && rows.length > 0)
          console.error(`${rows.length} of ${total}; see --page and --per-page.`)
      })
    },
  }
}
