import type { z } from 'zod'
import type {
  accountMailSchema,
  mailSchema,
  mailStatusSchema,
} from '#handlers/panel/mail/schema.ts'
import { printable } from '../terminal/printable.ts'
import type { OptionSpec, ResourceSpec } from './frame/command-types.ts'
import { known } from './frame/known.ts'
import { listCommand } from './frame/list-command.ts'
import { findAccount } from './frame/lookup.ts'
import { api, apiPath } from './frame/panel-client.ts'

type Mail = z.output<typeof mailSchema>
type Status = z.output<typeof mailStatusSchema>
type AccountMail = z.output<typeof accountMailSchema>

const MESSAGE = ['<message>', 'its id, as berth mail list shows it'] as const
const STATES = ['queued', 'kept', 'sent', 'failed', 'refused'] as const

const recipients = ({ recipients: [first, ...others] }: Mail): string =>
  first === undefined ? '' : `${first.address}${others.length === 0 ? '' : ` +${others.length}`}`

const show = (mail: Mail): void => {
  console.log(`Message:    ${mail.id}`)
  console.log(`Account:    ${mail.username ?? 'the panel'}`)
  console.log(`State:      ${mail.state}`)
  console.log(`Subject:    ${printable(mail.subject)}`)
  console.log(`From:       ${printable(mail.from)}`)
  if (mail.replaced_from !== null)
    console.log(`Instead of: ${printable(mail.replaced_from) || 'an unreadable sender'}`)
  console.log(`Size:       ${mail.size_bytes} bytes`)
  console.log(`Taken:      ${mail.created_at} UTC`)
  if (mail.next_attempt_at !== null) console.log(`Next try:   ${mail.next_attempt_at} UTC`)
  if (mail.ended_at !== null) console.log(`Ended:      ${mail.ended_at} UTC`)
  console.log(`Tries:      ${mail.attempts}`)
  if (mail.answer !== null) console.log(`Answer:     ${printable(mail.answer)}`)
  for (const { address, state, answer } of mail.recipients)
    console.log(
      `To:         ${printable(address)} (${state})${answer === null ? '' : ` ${printable(answer)}`}`,
    )
}

const showStatus = (status: Status): void => {
  console.log(`Relay:      ${status.relay ?? 'none: messages are kept'}`)
  console.log(`Sender:     ${printable(status.from)}`)
  if (status.trouble !== null)
    console.log(
      `Trouble:    since ${status.trouble.since} UTC: ${printable(status.trouble.answer)}`,
    )
  for (const state of STATES) console.log(`${`${state}:`.padEnd(12)}${status.counts[state]}`)
  if (status.oldest_waiting !== null) console.log(`Oldest:     ${status.oldest_waiting} UTC`)
}

const showAccount = (mail: AccountMail): void => {
  console.log(`Relay:      ${mail.relayed ? 'messages leave this server' : 'none: they are kept'}`)
  console.log(`Last hour:  ${mail.sent_last_hour} of ${mail.per_hour}`)
  console.log(`24 hours:   ${mail.sent_last_day} of ${mail.per_day}`)
  console.log(`A message:  ${mail.max_recipients} recipients, ${mail.max_message_bytes} bytes`)
}

const ON_HOST: OptionSpec = [
  '--host <host>',
  'without account: the queue of this machine; see berth hosts list',
]

/** `berth mail …`: what accounts and the panel sent. */
export const mail: ResourceSpec = {
  name: 'mail',
  summary: 'outgoing mail',
  commands: {
    list: listCommand<Mail>({
      summary: 'list the messages of an account, or of all',
      note: 'The newest first; of very many the last 1000 unless --page says otherwise.',
      args: [['[account]', 'username or number; default: all accounts and the panel']],
      options: [['--state <state>', 'only messages in this state', { choices: STATES }], ON_HOST],
      examples: ['berth mail list alice', 'berth mail list --state failed'],
      path: async ({ panel, args: [name = ''] }) =>
        name === '' ? '/api/mail' : apiPath`/api/mail/${(await findAccount(panel, name)).id}`,
      query: ({ options, args: [name = ''] }) =>
        name === '' ? options.texts('state', 'host') : options.texts('state'),
      sortable: ['created_at', 'subject', 'state', 'size_bytes'],
      columns: [
        ['ID', 'id'],
        ['ACCOUNT', 'username', null, ({ username }) => username ?? '(panel)'],
        ['STATE', 'state', 'state'],
        ['TO', 'recipients', null, recipients],
        ['SUBJECT', 'subject'],
        ['TIME (UTC)', 'created_at'],
        ['ANSWER', 'answer'],
      ],
      empty: 'There are no messages.',
    }),
    show: {
      summary: 'show what became of a message',
      args: [MESSAGE],
      examples: ['berth mail show mh3k2x9a0b1c2d3e4f5a6b7'],
      order: ({ args: [id = ''] }) => ({
        to: api`GET /api/mail/messages/${id}`,
        done: (data) => show(known<Mail>(data, 'id', 'state', 'recipients')),
      }),
    },
    retry: {
      summary: 'try a message again now',
      args: [MESSAGE],
      examples: ['berth mail retry mh3k2x9a0b1c2d3e4f5a6b7'],
      order: ({ args: [id = ''] }) => ({
        to: api`POST /api/mail/messages/${id}/retry`,
        done: (data) => show(known<Mail>(data, 'id', 'state', 'recipients')),
      }),
    },
    delete: {
      summary: 'remove a message; what waits is not sent any more',
      args: [MESSAGE],
      confirms: 'name',
      examples: ['berth mail delete mh3k2x9a0b1c2d3e4f5a6b7 --yes'],
      order: ({ args: [id = ''] }) => ({
        to: api`DELETE /api/mail/messages/${id}`,
        confirm: [`Removing message ${id}`, id],
        done: `Message ${id} was removed.`,
      }),
    },
    status: {
      summary: 'show how outgoing mail stands, or how much an account sent and may send',
      args: [['[account]', 'username or number; default: the whole server']],
      options: [ON_HOST],
      examples: ['berth mail status', 'berth mail status alice'],
      order: async ({ panel, args: [name = ''], options }) =>
        name === ''
          ? {
              to: api`GET /api/mail/status`,
              query: options.texts('host'),
              done: (data) => showStatus(known<Status>(data, 'from', 'counts')),
            }
          : {
              to: api`GET /api/mail/${(await findAccount(panel, name)).id}/settings`,
              done: (data) => showAccount(known<AccountMail>(data, 'relayed', 'per_hour')),
            },
    },
    test: {
      summary: 'send a test message to see whether the relay works',
      args: [['<address>', 'where it goes']],
      examples: ['berth mail test you@example.com'],
      order: ({ args: [to] }) => ({
        to: api`POST /api/mail/test`,
        body: { to },
        done: (data) => {
          const { id, state } = known<Mail>(data, 'id', 'state')
          console.log(
            state === 'kept'
              ? 'The message is kept: there is no relay. Set [mail] relay.'
              : `The message is under way. See: berth mail show ${id}`,
          )
        },
      }),
    },
  },
}
