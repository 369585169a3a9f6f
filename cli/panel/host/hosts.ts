import type { z } from 'zod'
import type { hostSchema, hostSumsSchema } from '#handlers/panel/hosts/routes.ts'
import type { trustedPanelSchema } from '#handlers/panel/hosts/trusted-panels.ts'
import { MEGABYTE } from '#handlers/domain/text/megabyte.ts'
import { formatBytes } from '../../terminal/format.ts'
import { printable } from '../../terminal/printable.ts'
import { given } from '../frame/command-options.ts'
import type { ResourceSpec } from '../frame/command-types.ts'
import { known } from '../frame/known.ts'
import { listCommand } from '../frame/list-command.ts'
import { api, apiPath } from '../frame/panel-client.ts'

type Drained = { moved: string[]; failed: { username: string; error: string }[] }

const NAME = ['<name>', 'name of the host'] as const

/** `berth hosts …`: the machines that this panel manages. */
export const hosts: ResourceSpec = {
  name: 'hosts',
  alias: 'host',
  summary: 'the machines that this panel manages',
  commands: {
    list: listCommand<z.output<typeof hostSchema>>({
      summary: 'list the machines; "local" is that of the panel',
      examples: ['berth hosts list'],
      path: '/api/hosts',
      columns: [
        ['NAME', 'name'],
        ['STATE', 'state', 'state'],
        ['ROLE', 'role'],
        ['ACCOUNTS', 'accounts', 'right'],
        ['WEIGHT', 'weight', 'right'],
        ['LAST SEEN', 'seen_at', null, (row) => row.seen_at ?? ''],
        ['ADDRESS', 'address'],
        ['CALLED THERE', 'link_id'],
        ['MAY JOIN UNTIL', 'join_until', null, (row) => row.join_until ?? ''],
      ],
      empty: 'There are no machines.',
    }),
    total: {
      summary: 'show what all machines have together',
      examples: ['berth hosts total'],
      order: () => ({
        to: api`GET /api/hosts/sums`,
        done: (data) => {
          const sums = known<z.output<typeof hostSumsSchema>>(data, 'machines', 'memory', 'disk')
          const line = (name: string, text: string) => console.log(`${name.padEnd(12)}${text}`)
          const of = ({ used_mb: used, total_mb: total }: typeof sums.disk): string =>
            `${formatBytes(used * MEGABYTE)} of ${formatBytes(total * MEGABYTE)}`
          line('Machines:', String(sums.machines))
          line('Accounts:', String(sums.accounts))
          line('Sites:', String(sums.sites))
          line('Processors:', String(sums.cpu_count))
          line('Memory:', of(sums.memory))
          line('Disk:', of(sums.disk))
          if (sums.not_counted.length > 0)
            line('Not counted:', sums.not_counted.map(printable).join(', '))
        },
      }),
    },
    add: {
      summary: 'invite a machine; the command to type there is printed once',
      note: 'There [link] listen must be set before. The token counts once, for 15 minutes; it is a secret until then. Then: berth hosts open NAME.',
      args: [
        ['<name>', 'small letters, digits and hyphens'],
        ['<address>', 'where its link is reached from here; default port 7072'],
      ],
      options: [['--role <role>', 'host or front (default: host)', { choices: ['host', 'front'] }]],
      examples: ['berth hosts add two 192.0.2.10', 'berth hosts add edge 192.0.2.11 --role front'],
      order: ({ args: [name, address], options }) => ({
        to: api`POST /api/hosts`,
        body: given({ name, address, role: options.text('role') }),
        done: (data) =>
          console.log(`berth agent join ${known<{ token: string }>(data, 'token').token}`),
      }),
    },
    open: {
      summary: 'dial a machine that has joined, or open one that was closed',
      args: [NAME],
      examples: ['berth hosts open two'],
      order: ({ args: [name = ''] }) => ({
        to: api`POST /api/hosts/${name}/open`,
        done: `The host ${printable(name)} is open.`,
      }),
    },
    close: {
      summary: 'place no new accounts on a machine; those that are there go on',
      args: [NAME],
      examples: ['berth hosts close two'],
      order: ({ args: [name = ''] }) => ({
        to: api`POST /api/hosts/${name}/close`,
        done: `The host ${printable(name)} gets no new accounts.`,
      }),
    },
    weigh: {
      summary: 'change the part of new accounts that a machine gets beside others',
      args: [NAME, ['<weight>', '1 to 1000; twice the weight, twice the accounts']],
      examples: ['berth hosts weigh two 3'],
      order: ({ args: [name = '', weight = ''] }) => ({
        to: api`PATCH /api/hosts/${name}`,
        body: { weight: Number(weight) },
        done: `The host ${printable(name)} has another weight now.`,
      }),
    },
    address: {
      summary:
        'say where visitors reach the machine of the panel; others have the address of their link',
      note: 'Machines lead visitors there whose accounts were moved to it. Without one no account moves to it.',
      args: [NAME, ['<address>', 'IP address or name, without a port']],
      examples: ['berth hosts address local 192.0.2.1'],
      order: ({ args: [name = '', address = ''] }) => ({
        to: api`PATCH /api/hosts/${name}`,
        body: { address },
        done: `Visitors reach the host ${printable(name)} at ${printable(address)}.`,
      }),
    },
    drain: {
      summary: 'close a machine and move all its accounts to others, two at a time',
      args: [NAME],
      confirms: 'name',
      job: true,
      examples: ['berth hosts drain two'],
      order: ({ args: [name = ''] }) => ({
        to: api`POST /api/hosts/${name}/drain`,
        confirm: [`Draining the host ${printable(name)}`, name],
        done: (data) => {
          const { moved, failed } = known<Drained>(data, 'moved', 'failed')
          console.log(`${moved.length} accounts were moved off ${printable(name)}.`)
          for (const { username, error } of failed)
            console.log(`${printable(username)} stays: ${printable(error)}`)
        },
      }),
    },
    copies: listCommand<{ username: string; until: string | null }>({
      summary: 'list what moves of accounts have left on a machine',
      examples: ['berth hosts copies two'],
      args: [NAME],
      path: ({ args: [name = ''] }) => apiPath`/api/hosts/${name}/copies`,
      columns: [
        ['USERNAME', 'username'],
        ['UNTIL', 'until', null, (row) => row.until ?? 'the machine answers'],
      ],
      empty: 'There are no copies.',
    }),
    'remove-copy': {
      summary: 'remove what a move of an account has left on a machine, before its time',
      note: 'From then on that machine does not lead visitors to where the account is.',
      args: [NAME, ['<username>', 'whose']],
      confirms: 'name',
      examples: ['berth hosts remove-copy two alice'],
      order: ({ args: [name = '', username = ''] }) => ({
        to: api`DELETE /api/hosts/${name}/copies/${username}`,
        confirm: [`Removing the copy of ${printable(username)}`, username],
        done: `The copy of ${printable(username)} is removed.`,
      }),
    },
    rotate: {
      summary: "change this panel's keys, or the certificate of a machine",
      note: 'Both are done by themselves: keys every 90 days, certificates every year. Former keys count for a day more; after they were stolen: --end-former.',
      args: [['[name]', "name of the host; without it: this panel's keys"]],
      options: [['--end-former', 'let no machine obey the former keys any more']],
      examples: ['berth hosts rotate', 'berth hosts rotate --end-former', 'berth hosts rotate two'],
      order: ({ args: [name = ''], options }) =>
        name === ''
          ? {
              to: api`POST /api/trusted-panels/rotate`,
              body: { at_once: options.isOn('endFormer') },
              done: (data) => {
                const { id, waiting } = known<{ id: string; waiting: string[] }>(
                  data,
                  'id',
                  'waiting',
                )
                console.log(`The machines know this panel as ${printable(id)} now.`)
                if (waiting.length > 0)
                  console.log(`Told when they are back: ${waiting.map(printable).join(', ')}`)
              },
            }
          : {
              to: api`POST /api/hosts/${name}/rotate`,
              done: `The host ${printable(name)} has a new certificate.`,
            },
    },
    remove: {
      summary: 'forget a machine',
      note: 'It is told nothing. "berth agent forget-panel" there lets this panel go.',
      args: [NAME],
      confirms: 'name',
      examples: ['berth hosts remove two'],
      order: ({ args: [name = ''] }) => ({
        to: api`DELETE /api/hosts/${name}`,
        confirm: [`Forgetting the host ${printable(name)}`, name],
        done: `The host ${printable(name)} is forgotten.`,
      }),
    },
    panels: listCommand<z.output<typeof trustedPanelSchema>>({
      summary: 'list the panels that the other machines obey',
      examples: ['berth hosts panels'],
      path: '/api/trusted-panels',
      columns: [
        ['PANEL', 'id'],
        ['SINCE', 'created_at'],
        ['', 'own', null, (row) => (row.own ? 'this one' : '')],
      ],
      empty: 'No other machine was invited yet.',
    }),
    'remove-panel': {
      summary: 'let the other machines obey a panel no more',
      note: 'They are told at once; one that does not answer is told first of all when it is back.',
      args: [['<id>', 'id of the panel, see "berth hosts panels"']],
      confirms: 'name',
      examples: ['berth hosts remove-panel panel-0123456789ab'],
      order: ({ args: [id = ''] }) => ({
        to: api`DELETE /api/trusted-panels/${id}`,
        confirm: [`Removing the panel ${printable(id)}`, id],
        done: (data) => {
          const { waiting } = known<{ waiting: string[] }>(data, 'waiting')
          console.log(`No machine that answers obeys ${printable(id)} any more.`)
          if (waiting.length > 0)
            console.log(`Told when they are back: ${waiting.map(printable).join(', ')}`)
        },
      }),
    },
  },
}
