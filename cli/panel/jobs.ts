import type { z } from 'zod'
import type { jobSchema } from '#handlers/panel/jobs/schema.ts'
import type { ResourceSpec } from './frame/command-types.ts'
import { followJob } from './frame/follow-job.ts'
import { listCommand } from './frame/list-command.ts'
import { api } from './frame/panel-client.ts'
import { showRecord } from './frame/show-record.ts'

const JOB = ['<id>', 'as berth jobs list shows it'] as const

/** `berth jobs …`. */
export const jobs: ResourceSpec = {
  name: 'jobs',
  alias: 'job',
  summary: 'long work at the panel',
  commands: {
    list: listCommand<z.output<typeof jobSchema>>({
      summary: 'list the jobs of the last 30 days',
      examples: ['berth jobs list --sort created_at --order desc --per-page 20'],
      path: '/api/jobs',
      sortable: ['kind', 'subject', 'state', 'progress', 'created_at', 'finished_at'],
      columns: [
        ['ID', 'id'],
        ['KIND', 'kind'],
        ['SUBJECT', 'subject'],
        ['STATE', 'state', 'state'],
        ['%', 'progress', 'right'],
        ['CREATED', 'created_at'],
        ['ERROR', 'error'],
      ],
      empty: 'There are no jobs.',
    }),
    show: {
      summary: 'show a job',
      args: [JOB],
      examples: ['berth jobs show 4c7e61'],
      order: ({ args: [id] }) => ({ to: api`GET /api/jobs/${id}` }),
    },
    follow: {
      summary: 'wait until a job is over and print its result; exit code 1 when it failed',
      args: [JOB],
      examples: ['berth jobs follow 4c7e61'],
      async run({ panel, args: [id = ''], print }) {
        const data = await followJob(panel, id)
        print(data, () => showRecord(data))
      },
    },
  },
}
