import type { z } from 'zod'
import type { entrySchema } from '#handlers/panel/audit/routes.ts'
import type { ResourceSpec } from './frame/command-types.ts'
import { listCommand } from './frame/list-command.ts'

/** `berth audit …`. */
export const audit: ResourceSpec = {
  name: 'audit',
  summary: 'who did what',
  commands: {
    list: listCommand<z.output<typeof entrySchema>>({
      summary: 'show the audit log, newest first',
      note: 'Without --page and --per-page the newest 1000 entries.',
      options: [
        ['--actor <name>', 'only entries of this user'],
        [
          '--result <result>',
          'only entries with this result',
          { choices: ['done', 'denied', 'failed'] },
        ],
        ['--from <time>', 'only entries from then on: YYYY-MM-DD or "YYYY-MM-DD HH:MM:SS", UTC'],
        ['--until <time>', 'only entries before then'],
      ],
      examples: [
        'berth audit list --per-page 20',
        'berth audit list --result denied --from 2026-01-01',
      ],
      path: '/api/audit',
      query: ({ options }) => options.texts('actor', 'result', 'from', 'until'),
      sortable: ['id', 'at', 'actor', 'action', 'status'],
      columns: [
        ['TIME', 'at'],
        ['ACTOR', 'actor', null, ({ actor, via }) => (via === null ? actor : `${actor} (${via})`)],
        ['ADDRESS', 'address'],
        ['RESULT', 'result', 'state'],
        ['STATUS', 'status', 'right'],
        ['WHAT', 'summary'],
        ['TARGET', 'target'],
      ],
      empty: 'There is nothing in it.',
    }),
  },
}
