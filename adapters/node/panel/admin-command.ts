import { z } from 'zod'
import { timestamp, unixSecs } from '#handlers/domain/text/timestamp.ts'
import { adminName, newPassword } from '#handlers/panel/frame/fields.ts'
import type { Clock } from '#handlers/ports/clock.ts'
import type { Passwords } from '#handlers/ports/passwords.ts'
import type { Store } from '#handlers/ports/store/store.ts'
import { nextNotBefore } from '#handlers/services/records/not-before.ts'

const inputSchema = z.object({
  action: z.enum(['create', 'reset-password']),
  username: adminName('username'),
  password: newPassword('password'),
  removeSecondFactor: z.boolean(),
})

export type AdminCommand = z.output<typeof inputSchema>

interface Deps {
  store: Store
  passwords: Passwords
  clock: Clock
}

const create = async (
  { store, passwords, clock }: Deps,
  command: AdminCommand,
): Promise<string> => {
  const { username } = command
  const row = {
    username,
    password_hash: await passwords.hash(command.password),
    not_before_secs: 0,
    created_at: timestamp(clock.nowMs()),
  }
  const first = await store.createFirstAdmin(row)
  if (first === null && (await store.insertAdmin({ ...row, status: 'active' })) === 'duplicate') {
    throw new Error(`The username ${username} is taken by an administrator or an account.`)
  }
  return `Administrator ${username} was created.`
}

const resetPassword = async (
  { store, passwords, clock }: Deps,
  { username, password, removeSecondFactor }: AdminCommand,
): Promise<string> => {
  const admin = await store.adminByName(username)
  if (admin === null) {
    const names = (await store.listAdmins()).rows.map((row) => row.username).join(', ')
    throw new Error(
      names === ''
        ? 'There is no administrator. Make one: berth admin create <username>'
        : `There is no administrator ${username}. There are: ${names}.`,
    )
  }
  const user = { role: 'admin', id: admin.id } as const
  await store.updateAdmin(
    admin.id,
    {
      password_hash: await passwords.hash(password),
      status: 'active',
      not_before_secs: nextNotBefore(admin, unixSecs(clock.nowMs())),
    },
    { endTokens: true },
  )
  const done = `Administrator ${username} has a new password; all sessions and API tokens are ended.`
  if (removeSecondFactor) {
    await store.deleteSecondFactor(user)
    return `${done} The second factor is off.`
  }
  const factor = await store.secondFactor(user)
  return factor?.confirmed === true
    ? `${done} A login still needs the second factor; --remove-second-factor takes it off.`
    : done
}

/**
 * Creates an administrator, or lets one in again who lost the password, directly
 * in the store; the panel may run meanwhile. Answers a line for the person at the
 * terminal; throws an Error with one.
 */
export const runAdminCommand = async (deps: Deps, input: AdminCommand): Promise<string> => {
  const checked = inputSchema.safeParse(input)
  if (!checked.success)
    throw new Error(checked.error.issues[0]?.message ?? 'The input is not valid.')
  const command = checked.data
  const done = await (command.action === 'create' ? create : resetPassword)(deps, command)
  await deps.store.insertAudit([
    {
      at: timestamp(deps.clock.nowMs()),
      actor: null,
      role: null,
      via: 'command line of the host',
      action: `berth admin ${command.action}`,
      summary:
        command.action === 'create'
          ? 'Creates an administrator'
          : "Resets an administrator's password",
      target: `username=${command.username}`,
      address: 'local',
      status: 200,
      reseller_id: null,
      result: 'done',
    },
  ])
  return done
}
