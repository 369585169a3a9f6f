import { CliError } from './cli-error.ts'
import { printable } from './terminal/printable.ts'
import { useCompileCache } from './use-compile-cache.ts'

// Whoever reads us may stop early, as `head` does; a full disk is a failure.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    process.exit(error.code === 'EPIPE' ? (process.exitCode ?? 0) : 1)
  })

/** Names and texts of others may be part of a message; its own lines stay lines. */
const printableLines = (text: string): string => text.split('\n').map(printable).join('\n')

useCompileCache()
const { buildProgram, CommanderError, ZodError } = await import('./program.ts')

/** Exit codes: 0 done, 1 it failed, 2 the command line or the configuration was wrong. */
try {
  await buildProgram().parseAsync()
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2
  else if (error instanceof CliError) {
    console.error(printableLines(error.message))
    process.exitCode = error.exitCode
  } else if (error instanceof ZodError) {
    const places = error.issues.map(({ path }) => path.join('.')).slice(0, 5)
    console.error(
      `The answer has another shape than this version of berth knows (${places.join(', ')}). Use the command of the version that runs there, or --json.`,
    )
    process.exitCode = 1
  } else {
    const why = error instanceof Error ? error.message : String(error)
    console.error(`berth could not go on: ${printableLines(why)}`)
    if (process.env['BERTH_DEBUG'] && error instanceof Error) console.error(error.stack)
    else
      console.error(
        'If this is no fault of the machine, run it again with BERTH_DEBUG=1 for details.',
      )
    process.exitCode = 1
  }
}
