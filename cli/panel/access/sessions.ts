import type { z } from 'zod'
import type { sessionViewSchema } from '#handlers/panel/users/session-routes.ts'
import type { ResourceSpec } from '../frame/command-types.ts'
import { listCommand } from '../frame/list-command.ts'
import { api } from '../frame/panel-client.ts'

/** `berth sessions …`. */
export const sessions: ResourceSpec = {
  name: 'sessions',
  alias: 'session',
  summary: 'who is logged in to the panel',
  commands: {
    list: listCommand<z.output<typeof sessionViewSchema>>({
      summary: 'list the sessions that stand',
      examples: [
        'berth sessions list --sort seen_at --order desc',
        'berth sessions list --q alice',
      ],
      path: '/api/sessions',
      sortable: ['id', 'owner', 'began_at', 'seen_at'],
      columns: [
        ['ID', 'id', 'right'],
        ['USER', 'owner'],
        ['ADMINISTRATOR', 'acting_admin', null, (row) => row.acting_admin ?? ''],
        ['DEVICE', 'device', null, (row) => row.device ?? ''],
        ['ADDRESS', 'address', null, (row) => row.address ?? ''],
        ['LAST USED', 'seen_at'],
        ['BEGAN', 'began_at'],
      ],
      empty: 'Nobody is logged in.',
    }),
    end: {
      summary: 'end a session, whose next request is refused',
      args: [['<id>', 'its number']],
      examples: ['berth sessions end 7'],
      order: ({ args: [id = ''] }) => ({
        to: api`DELETE /api/sessions/${id}`,
        done: `Session ${id} has ended.`,
      }),
    },
  },
}
