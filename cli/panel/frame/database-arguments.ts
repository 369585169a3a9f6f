import type { OptionSpec } from './command-types.ts'

/** A database of an account, as an argument. */
export const NAME = ['<database>', "name, with or without the account's prefix"] as const
/** Names that `--engine` takes. */
export const ENGINES = ['mysql', 'mariadb', 'postgresql', 'postgres'] as const
/** Says which of several. */
export const WHICH: OptionSpec = [
  '--engine <engine>',
  'needed where two servers have a database of this name',
  { choices: ENGINES },
]
