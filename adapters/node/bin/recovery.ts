import { existsSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import { describeProblem } from '#handlers/domain/config/describe.ts'
import { importDirectory } from '../agent/recovery/import/import-journal.ts'
import { requestSchema, runAction } from '../agent/recovery/run-action.ts'
import { loadConfig } from '../config/load-config.ts'
import { requireRootOwner } from '../layout/require-root-owner.ts'
import { createLog } from '../process/create-log.ts'

/**
 * Entry of `berth panel`: what to do as JSON on standard input, the outcome as JSON on
 * standard output. Exit code 3: it was refused, and no import is under way.
 */
const { values } = parseArgs({ options: { config: { type: 'string', default: '' } } })

let isUntouched = (): boolean => false

const run = async (): Promise<unknown> => {
  process.umask(0o022)
  if (process.getuid?.() !== 0) throw new Error('Only root may do this.')
  const unsafe = requireRootOwner(values.config)
  if (unsafe !== null) throw new Error(unsafe)
  const loaded = await loadConfig(values.config)
  if (!loaded.ok) throw new Error(loaded.problems.map(describeProblem).join('\n'))
  isUntouched = () => !existsSync(importDirectory(loaded.config.paths))
  const request = requestSchema.parse(JSON.parse(await text(process.stdin)))
  return runAction(loaded.config, request, createLog('recovery'))
}

run().then(
  (answer) => process.stdout.write(`${JSON.stringify(answer)}\n`),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    process.exitCode = isUntouched() ? 3 : 1
  },
)
