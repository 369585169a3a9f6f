import { readFileSync } from 'node:fs'
import { openAppLog } from '../agent/applications/keeper/app-log.ts'
import { keepApplication, sweepSockets } from '../agent/applications/keeper/keeper.ts'
import { keeperPlan } from '../agent/applications/keeper/keeper-messages.ts'
import { serveKeeper } from '../agent/applications/keeper/serve-keeper.ts'

/**
 * Entry of what keeps one start of an account's application running, started by the agent as the
 * account's user: the plan on standard input, the agent's listening socket as descriptor 3.
 */
const plan = keeperPlan.parse(JSON.parse(readFileSync(0, 'utf8')))
await sweepSockets(plan.directory)
const keeper = keepApplication(plan, openAppLog(plan.directory))
serveKeeper(keeper, 3, () => process.exit(0))
// It goes with the agent's word, not with whoever started the agent.
for (const signal of ['SIGHUP', 'SIGINT'] as const) process.on(signal, () => undefined)
process.on('SIGTERM', () => void keeper.end(0).then(() => process.exit(0)))
