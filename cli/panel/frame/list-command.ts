import { z } from 'zod'
import type { Column } from '../../terminal/print-table.ts'
import { printTable } from '../../terminal/print-table.ts'
import type { CommandSpec, OptionSpec, PanelCall } from './command-spec.ts'

interface ListSpec<Row> {
  summary: string
  note?: string
  args?: NonNullable<CommandSpec['args']>
  options?: readonly OptionSpec[]
  examples: CommandSpec['examples']
  /** Default: `list`. */
  name?: string
  /** Of the API; may ask it for an id first. */
  path(call: PanelCall): string | Promise<string>
  /** Further parameters. */
  query?(
    call: PanelCall,
  ): Record<string, string | undefined> | Promise<Record<string, string | undefined>>
  /** Fields that `--sort` may name; none: the route knows no paging. */
  sortable?: readonly string[]
  row: z.ZodType<Row>
  columns: readonly Column<Row>[]
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
const listQuery = ({ options }: PanelCall): Record<string, string | undefined> => ({
  q: options.text('q'),
  sort: options.text('sort'),
  order: options.text('order'),
  page: options.number('page', 1)?.toString(),
  per_page: options.number('perPage', 1)?.toString(),
})

/** A command that shows a list of the API as a table. */
export const listCommand = <Row>(spec: ListSpec<Row>): CommandSpec => {
  const { sortable, row, columns, empty, path, query, name = 'list', options = [], ...rest } = spec
  return {
    ...rest,
    name,
    options: [...options, ...(sortable === undefined ? [] : listOptions(sortable))],
    async run(call) {
      const { data, total } = await call.panel.answer('GET', await path(call), {
        query: {
          ...(sortable === undefined ? {} : listQuery(call)),
          ...(query === undefined ? {} : await query(call)),
        },
      })
      call.print(data, () => {
        const rows = z.array(row).parse(data)
        printTable(rows, columns, empty)
        if (total !== null && total > rows.length && rows.length > 0)
          console.error(`${rows.length} of ${total}; see --page and --per-page.`)
      })
    },
  }
}
