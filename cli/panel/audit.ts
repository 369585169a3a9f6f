import { z } from 'zod'
import type { ResourceSpec } from './frame/command-spec.ts'
import { listCommand } from './frame/list-command.ts'

/** `berth audit …`. */
export const audit: ResourceSpec = {
  name: 'audit',
  summary: 'who did what',
  commands: [
    listCommand({
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
      path: () => '/api/audit',
      query: (call) => ({
        actor: call.options.text('actor'),
        result: call.options.text('result'),
        from: call.options.text('from'),
        until: call.options.text('until'),
      }),
      sortable: ['id', 'at', 'actor', 'action', 'status'],
      row: z.object({
        at: z.string(),
        actor: z.string().nullable(),
        via: z.string().nullable(),
        summary: z.string(),
        target: z.string(),
        address: z.string(),
        status: z.number(),
        result: z.string(),
      }),
      columns: [
        { title: 'TIME', value: ({ at }) => at },
        { title: 'ACTOR', value: ({ actor, via }) => (via === null ? actor : `${actor} (${via})`) },
        { title: 'ADDRESS', value: ({ address }) => address },
        { title: 'RESULT', value: ({ result }) => result, state: true },
        { title: 'STATUS', value: ({ status }) => status, right: true },
        { title: 'WHAT', value: ({ summary }) => summary },
        { title: 'TARGET', value: ({ target }) => target },
      ],
      empty: 'There is nothing in it.',
    }),
  ],
}
