import { parseArgs, type ParseArgsConfig } from 'node:util'

type Options = NonNullable<ParseArgsConfig['options']>

/**
 * The options of a command line. `--help` prints `usage` and ends the program; what is
 * not understood ends it with a sentence, the usage and code 2.
 */
export const readOptions = <T extends Options>(usage: string, options: T) => {
  if (process.argv.slice(2).includes('--help')) {
    console.log(usage)
    process.exit(0)
  }
  try {
    return parseArgs({ options }).values
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`)
    process.exit(2)
  }
}
