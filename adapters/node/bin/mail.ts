import { createLog } from '../process/create-log.ts'
import { serveMail } from '../mail/serve-mail.ts'

/** Entry of the mail process, started by the agent as user berth-mail, which speaks to it over Node's IPC channel. */
const log = createLog('mail')
const { send } = process
if (send === undefined) throw new Error('This program is started by the agent of Berth.')

process.umask(0o077)
const serving = serveMail(
  {
    send: (message) => {
      if (process.connected) send.call(process, message, () => undefined)
    },
    listen: (listener) => process.on('message', listener),
  },
  log,
)
const stop = (): void => void serving.stop().finally(() => process.exit(0))

process.on('SIGINT', () => undefined)
process.on('SIGHUP', () => undefined)
process.on('SIGUSR1', () => undefined)
process.on('SIGTERM', stop)
// Without the agent nobody would say who sends.
process.on('disconnect', stop)
