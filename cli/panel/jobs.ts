import type { ResourceSpec } from './frame/command-spec.ts'
import { followJob, jobSchema } from './frame/follow-job.ts'
import { listCommand } from './frame/list-command.ts'
import { apiPath } from './frame/panel-client.ts'
import { showRecord } from './frame/show-record.ts'

const JOB = ['<id>', 'as berth jobs list shows it'] as const

/** `berth jobs …`. */
export const jobs: ResourceSpec = {
  name: 'jobs',
  alias: 'job',
  summary: 'long work at the panel',
  commands: [
    listCommand({
      summary: 'list the jobs of the last 30 days',
      examples: ['berth jobs list --sort created_at --order desc --per-page 20'],
      path: () => '/api/jobs',
      sortable: ['kind', 'subject', 'state', 'progress', 'created_at', 'finished_at'],
      row: jobSchema,
      columns: [
        { title: 'ID', value: ({ id }) => id },
        { title: 'KIND', value: ({ kind }) => kind },
        { title: 'SUBJECT', value: ({ subject }) => subject },
        { title: 'STATE', value: ({ state }) => state, state: true },
        { title: '%', value: ({ progress }) => progress, right: true },
        { title: 'CREATED', value: (row) => row.created_at },
        { title: 'ERROR', value: ({ error }) => error },
      ],
      empty: 'There are no jobs.',
    }),
    {
      name: 'show',
      summary: 'show a job',
      args: [JOB],
      examples: ['berth jobs show 4c7e61'],
      async run({ panel, args: [id = ''], print }) {
        const data = await panel.call('GET', apiPath`/api/jobs/${id}`)
        print(data, () => showRecord(data))
      },
    },
    {
      name: 'follow',
      summary: 'wait until a job is over and print its result; exit code 1 when it failed',
      args: [JOB],
      examples: ['berth jobs follow 4c7e61'],
      async run({ panel, args: [id = ''], print }) {
        const data = await followJob(panel, id)
        print(data, () => showRecord(data))
      },
    },
  ],
}
