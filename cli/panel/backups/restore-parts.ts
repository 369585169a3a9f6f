import { CliError } from '../../cli-error.ts'
import { given } from '../frame/command-options.ts'
import type { CommandOptions } from '../frame/command-options.ts'
import type { OptionSpec } from '../frame/command-types.ts'
import type { Snapshot } from './find-snapshot.ts'

/** Options that say what of a snapshot is restored. */
export const PART_OPTIONS: readonly OptionSpec[] = [
  [
    '--what <what>',
    'what to put back (default: all, or what --path and --database name)',
    { choices: ['all', 'files', 'databases'] },
  ],
  [
    '--path <path>',
    'a file or folder below the home alone; with --database these too',
    { repeatable: true },
  ],
  [
    '--database <name>',
    'a database alone; engine:name where two engines have one of that name',
    { repeatable: true },
  ],
]

/** A database of the snapshot by its name, or by engine and name. */
export const databaseOf = (
  { databases }: Pick<Snapshot, 'databases'>,
  wanted: string,
): Snapshot['databases'][number] => {
  const found = databases.filter(
    ({ engine, database }) => database === wanted || `${engine}:${database}` === wanted,
  )
  if (found.length > 1)
    throw new CliError(`Two engines have a database ${wanted}. Say which: engine:${wanted}`, 2)
  if (found[0] === undefined) throw new CliError(`The snapshot holds no database ${wanted}.`)
  return found[0]
}

/** What the options choose, as the API takes it. */
export const partsOf = (
  options: CommandOptions,
  snapshot: Pick<Snapshot, 'databases'>,
): Record<string, unknown> => {
  const [paths, names] = [options.list('path'), options.list('database')]
  const { what } = options.texts('what')
  return given<unknown>({
    what,
    paths,
    databases: names?.map((name) => databaseOf(snapshot, name)),
  })
}
