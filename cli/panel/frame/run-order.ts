import { confirmByName } from '../../terminal/confirm.ts'
import { newPassword } from '../../terminal/password.ts'
import type { CommandSpec, OptionSpec, OrderSpec, PanelCall } from './command-types.ts'
import { NO_WAIT, runAsJob } from './follow-job.ts'
import { showRecord } from './show-record.ts'

/** How a new password comes; it is asked for without them. */
export const PASSWORD_OPTIONS: readonly OptionSpec[] = [
  ['--password-stdin', 'read the password from the first line of standard input'],
  ['--generate-password', 'make a password and print it once'],
]

/** All options of a command: its own, and those that follow from what it declares. */
export const optionsOf = (spec: CommandSpec): readonly OptionSpec[] => {
  const { options = [] } = spec
  if (!('order' in spec)) return options
  const { password, confirms, job } = spec
  return [
    ...options,
    ...(password === undefined ? [] : PASSWORD_OPTIONS),
    ...(confirms === undefined
      ? []
      : [['--yes', `do not ask to type the ${confirms}`] satisfies OptionSpec]),
    ...(job === undefined ? [] : [NO_WAIT]),
  ]
}

const passwordOf = ({ options }: PanelCall) =>
  newPassword({
    stdin: options.isOn('passwordStdin'),
    generate: options.isOn('generatePassword'),
  })

/** Asks what has to be asked, makes the call, waits for its job, and says what became of it. */
export const runOrder = async (spec: OrderSpec, call: PanelCall): Promise<void> => {
  const { panel, options, print } = call
  const { to, query = {}, confirm, done, failed, ...order } = await spec.order(call)
  if (confirm !== undefined) await confirmByName(...confirm, options.isOn('yes'))
  const secret = spec.password === undefined ? null : await passwordOf(call)
  const body =
    spec.password === undefined
      ? order.body
      : { ...(order.body as object | undefined), [spec.password]: secret?.password }
  const wait = spec.job === undefined || options.flag('wait') !== false
  const init = { query, ...(body === undefined ? {} : { body }) }
  const data = await (spec.job === undefined
    ? panel.call(to.method, to.path, init)
    : runAsJob(panel, to, init, wait))
  const isFailed = wait && failed?.(data) === true
  // A password that was made is shown this once.
  const made = secret?.generated === true ? secret.password : null
  print(made !== null && typeof data === 'object' ? { ...data, password: made } : data, () => {
    if (!wait || done === undefined) showRecord(data)
    else if (typeof done === 'string') console.log(done)
    else done(data)
    if (made !== null) console.log(`Password: ${made}`)
  })
  if (isFailed) process.exitCode = 1
}
