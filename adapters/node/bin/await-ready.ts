import { parseArgs } from 'node:util'
import { identifyProcess } from '../process/process-identity.ts'
import { awaitReady } from '../service/await-ready.ts'

/**
 * What systemd runs behind the supervisor (`ExecStartPost`), whose number it names in `MAINPID`: ends
 * with 0 when everything serves, with 1 when it never will. Of little code, since it starts beside
 * all others: `node adapters/node/bin/await-ready.ts --run-dir DIR --log-dir DIR --limit-secs N`.
 */
const { values } = parseArgs({
  options: {
    'run-dir': { type: 'string' },
    'log-dir': { type: 'string' },
    'limit-secs': { type: 'string' },
  },
})
const { 'run-dir': runDir = '', 'log-dir': logDir = '', 'limit-secs': secs = '' } = values
const supervisor = identifyProcess(Number(process.env['MAINPID']))
const serves =
  supervisor !== null &&
  (await awaitReady({ runDir, logDir, limitSecs: Number(secs) }, supervisor).catch(
    (error: unknown) => {
      process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
      return false
    },
  ))
process.exitCode = serves ? 0 : 1
