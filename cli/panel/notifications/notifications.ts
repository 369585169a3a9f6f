import type { z } from 'zod'
import type {
  deliverySchema,
  notificationSchema,
  preferencesSchema,
  unreadSchema,
} from '#handlers/panel/notifications/schema.ts'
import { CliError } from '../../cli-error.ts'
import { printTable } from '../../terminal/print-table.ts'
import { printable } from '../../terminal/printable.ts'
import { givenSome, type CommandOptions } from '../frame/command-options.ts'
import type { ResourceSpec } from '../frame/command-types.ts'
import { known } from '../frame/known.ts'
import { listCommand } from '../frame/list-command.ts'
import { api } from '../frame/panel-client.ts'
import { showRecord } from '../frame/show-record.ts'

type Preferences = z.output<typeof preferencesSchema>

const WAYS = ['panel', 'mail', 'webhook'] as const
const OBSTACLES = {
  no_address: 'There is no address: set one with --email.',
  no_relay: 'Mails are kept: there is no relay. See [mail] relay of the configuration.',
  unavailable: 'Outgoing mail cannot be looked at now.',
} as const

const showPreferences = (data: unknown): void => {
  const { kinds, email, language, mail_obstacle } = known<Preferences>(data, 'kinds', 'email')
  printTable(
    kinds,
    [
      { title: 'KIND', value: ({ kind }) => kind },
      ...WAYS.map((way) => ({
        title: way.toUpperCase(),
        value: (row: Preferences['kinds'][number]) => row[way],
      })),
    ],
    'There are none.',
  )
  console.log(`Mails go to ${email === null ? 'nobody' : printable(email)}.`)
  console.log(`Language: ${language ?? 'that of the browser of the last login'}`)
  if (mail_obstacle !== null) console.log(OBSTACLES[mail_obstacle])
}

/** The words of `--panel`, `--mail` and `--webhook` for one kind. */
const waysOf = (options: CommandOptions): Record<string, boolean> | undefined => {
  const said = WAYS.flatMap((way) => {
    const value = options.text(way)
    return value === undefined ? [] : [[way, value === 'on'] as const]
  })
  return said.length === 0 ? undefined : Object.fromEntries(said)
}

const onOff = (way: string, what: string) =>
  [`--${way} <yes>`, what, { choices: ['on', 'off'] }] as const

/** `berth notifications …`: what one is told, and how. */
export const notifications: ResourceSpec = {
  name: 'notifications',
  alias: 'notification',
  summary: 'what you are told, and how',
  commands: {
    list: listCommand<z.output<typeof notificationSchema>>({
      summary: 'list your notifications, newest first',
      note: 'As root on the machine: those of the first administrator.',
      options: [
        ['--kind <kind>', 'only of this kind, e.g. certificate'],
        ['--unread <yes>', 'only unread ones, or read ones', { choices: ['true', 'false'] }],
        ['--standing <yes>', 'only troubles that are not over', { choices: ['true', 'false'] }],
        ['--language <name>', 'of the texts (default: en)', { choices: ['en', 'de'] }],
      ],
      examples: [
        'berth notifications list --unread true',
        'berth notifications list --standing true',
      ],
      path: '/api/notifications',
      query: ({ options }) => options.texts('kind', 'unread', 'standing', 'language'),
      sortable: ['created_at', 'id', 'kind', 'severity'],
      columns: [
        ['ID', 'id', 'right'],
        ['WHEN (UTC)', 'created_at'],
        ['KIND', 'kind'],
        ['SEVERITY', 'severity'],
        ['STATE', 'state'],
        ['READ', 'read_at', null, ({ read_at }) => (read_at === null ? 'no' : 'yes')],
        ['WHAT', 'title'],
      ],
      empty: 'There are no notifications.',
    }),
    read: {
      summary: 'mark a notification as read, or all',
      args: [['[id]', 'its number; default: all of them, which needs --all']],
      options: [['--all', 'every one']],
      examples: ['berth notifications read 12', 'berth notifications read --all'],
      order({ args: [id = ''], options }) {
        if ((id === '') !== options.isOn('all'))
          throw new CliError('Say which one by its number, or --all.', 2)
        return {
          to:
            id === '' ? api`POST /api/notifications/read` : api`POST /api/notifications/${id}/read`,
          done: (data) => {
            const { unread } = known<z.output<typeof unreadSchema>>(data, 'unread')
            console.log(`${unread} unread.`)
          },
        }
      },
    },
    preferences: {
      summary: 'show how you are told',
      examples: ['berth notifications preferences'],
      order: () => ({ to: api`GET /api/notifications/preferences`, done: showPreferences }),
    },
    choose: {
      summary: 'say how you are told',
      note: 'Logins and security are always told in the panel.',
      args: [['[kind]', 'what --panel, --mail and --webhook are about, e.g. backup']],
      options: [
        onOff('panel', 'whether the panel lists it'),
        onOff('mail', 'whether it is mailed'),
        onOff('webhook', 'whether your webhook is told'),
        ['--email <address>', 'where an administrator is mailed'],
        ['--language <name>', 'of mails and webhooks', { choices: ['en', 'de'] }],
      ],
      examples: [
        'berth notifications choose backup --mail off',
        'berth notifications choose --email boss@example.com --language de',
      ],
      order({ args: [kind = ''], options }) {
        const ways = waysOf(options)
        if ((kind === '') !== (ways === undefined))
          throw new CliError(
            '--panel, --mail and --webhook need a kind, and a kind one of them.',
            2,
          )
        return {
          to: api`PATCH /api/notifications/preferences`,
          body: givenSome(
            {
              kinds: ways === undefined ? undefined : { [kind]: ways },
              email: options.text('email'),
              language: options.text('language'),
            },
            'a kind with --panel, --mail or --webhook, --email, --language',
          ),
          done: showPreferences,
        }
      },
    },
    webhook: {
      summary: 'show your webhook',
      examples: ['berth notifications webhook'],
      order: () => ({
        to: api`GET /api/notifications/webhook`,
        done(data) {
          if (data === null)
            console.log('There is no webhook. Set one: berth notifications set-webhook')
          else showRecord(data)
        },
      }),
    },
    'set-webhook': {
      summary: 'set or replace your webhook',
      note: 'Its secret, which signs what is sent, is shown this once.',
      args: [['<url>', 'in the internet, e.g. https://example.com/hook']],
      examples: ['berth notifications set-webhook https://example.com/hook'],
      order: ({ args: [url] }) => ({ to: api`PUT /api/notifications/webhook`, body: { url } }),
    },
    'remove-webhook': {
      summary: 'take your webhook away',
      examples: ['berth notifications remove-webhook'],
      order: () => ({
        to: api`DELETE /api/notifications/webhook`,
        done: 'There is no webhook any more.',
      }),
    },
    'test-webhook': {
      summary: 'send a test to your webhook; exit code 1 when it is not taken',
      examples: ['berth notifications test-webhook'],
      order: () => ({
        to: api`POST /api/notifications/webhook/test`,
        failed: (data) => {
          const { status } = known<z.output<typeof deliverySchema>>(data, 'status')
          return status === null || status < 200 || status >= 300
        },
      }),
    },
    deliveries: listCommand<z.output<typeof deliverySchema>>({
      summary: 'list what your webhook was sent last',
      examples: ['berth notifications deliveries'],
      path: '/api/notifications/webhook/deliveries',
      columns: [
        ['WHEN (UTC)', 'at'],
        ['NOTIFICATION', 'notification_id', 'right', (row) => row.notification_id ?? 'test'],
        ['STATUS', 'status', 'right', (row) => row.status ?? ''],
        ['MS', 'duration_ms', 'right'],
        ['ERROR', 'error', null, (row) => row.error ?? ''],
      ],
      empty: 'Nothing was sent yet.',
    }),
  },
}
