import { CliError } from '../../cli-error.ts'
import { printable } from '../../terminal/printable.ts'
import { given } from '../frame/command-options.ts'
import type { CommandOptions } from '../frame/command-options.ts'
import type { OptionSpec } from '../frame/command-types.ts'
import { known } from '../frame/known.ts'
import type { Snapshot } from './find-snapshot.ts'

/** Options that say what of a backup or a snapshot is restored. */
export const PART_OPTIONS: readonly OptionSpec[] = [
  [
    '--what <what>',
    'what to put back (default: all, i.e. files and databases, or what --path and --database name); settings: domains, PHP, cron jobs, page cache and schedule, for administrators',
    { choices: ['all', 'files', 'databases', 'settings'] },
  ],
  [
    '--path <path>',
    'a file or folder below the home alone; with --database these too',
    { repeatable: true },
  ],
  [
    '--database <name>',
    'a database alone, by its full name; engine:name for one that is not of mariadb, or where two engines have one of that name',
    { repeatable: true },
  ],
]

type Database = Snapshot['databases'][number]
const ENGINES = ['mariadb', 'mysql', 'postgresql'] as const

/** A database by its name (of MariaDB), or by engine and name, of a backup that nobody has looked into. */
export const databaseNamed = (text: string): Database => {
  const [first = '', database] = text.includes(':') ? text.split(':') : ['mariadb', text]
  const engine = ENGINES.find((one) => one === first)
  if (engine !== undefined && database !== undefined && database !== '') return { engine, database }
  throw new CliError(`--database takes NAME or ENGINE:NAME, ENGINE being ${ENGINES.join(', ')}.`, 2)
}

/** A database of the snapshot by its name, or by engine and name. */
export const databaseOf = (
  { databases }: Pick<Snapshot, 'databases'>,
  wanted: string,
): Database => {
  const found = databases.filter(
    ({ engine, database }) => database === wanted || `${engine}:${database}` === wanted,
  )
  if (found.length > 1)
    throw new CliError(`Two engines have a database ${wanted}. Say which: engine:${wanted}`, 2)
  if (found[0] === undefined) throw new CliError(`The snapshot holds no database ${wanted}.`)
  return found[0]
}

/** What the options choose: as the API takes it, and in words for whoever has to confirm it. */
export const partsOf = (
  options: CommandOptions,
  username: string,
  find: (name: string) => Database,
): { body: Record<string, unknown>; chosen: string } => {
  const [paths, names] = [options.list('path'), options.list('database')]
  const { what } = options.texts('what')
  const named = [...(paths ?? []), ...(names ?? [])].map(printable)
  const whole = what === 'settings' ? 'the settings of account' : 'what account'
  return {
    body: given<unknown>({ what, paths, databases: names?.map(find) }),
    chosen:
      named.length > 0
        ? named.join(', ')
        : `${whole} ${username}${what === 'settings' ? '' : ' has now'}`,
  }
}

/** Says that it is done, and on stderr what of settings was not taken over. */
export const tellRestored =
  (sentence: string) =>
  (data: unknown): void => {
    console.log(sentence)
    for (const note of known<{ notes: string[] }>(data, 'notes').notes)
      console.error(printable(note))
  }
