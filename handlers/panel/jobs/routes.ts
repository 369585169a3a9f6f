import { z } from 'zod'
import { userKey } from '../access/caller.ts'
import type { JobFilter, JobRow } from '../../ports/jobs.ts'
import { jobView } from '../../services/jobs/jobs.ts'
import type { Services } from '../../services/services.ts'
import { assertNotForeign } from '../access/csrf.ts'
import { reachOf } from '../access/policy.ts'
import type { ServerEvent } from '../frame/event-stream.ts'
import { createEventStreams } from '../frame/event-stream.ts'
import type { Call } from '../frame/route.ts'
import { routesOf } from '../frame/routes-of.ts'
import { jobSchema } from './schema.ts'

const params = z.object({ id: z.string() })
const on = routesOf('Jobs')
const NOT_FOUND = 'No such job.'
/** At most so long until a stream notices that its token is void. */
const HEARTBEAT_MS = 10_000
const STREAM =
  'Each event is named job; its data is the job as GET /api/jobs/:id answers it, its id the number of the change. Changes that come faster than they are read go together. With Last-Event-ID the stream goes on after that change. A comment comes at least every 10 seconds.'
const raw = { mediaTypes: ['text/event-stream'], description: 'Events, outside the envelope.' }
const streamErrors = {
  403: 'The cookie came from a foreign page.',
  429: 'Too many streams are open: 8 of one user, 256 of all.',
} as const

const lastEventId = (request: Request): number | null => {
  const value = request.headers.get('last-event-id') ?? ''
  return /^\d{1,15}$/.test(value) ? Number(value) : null
}

const eventOf = (job: JobRow): ServerEvent => ({ id: job.change, event: 'job', data: jobView(job) })
const isOver = ({ finished_at }: JobRow): boolean => finished_at !== null

/** Long work: what it has become, and its events. */
export const jobRoutes = ({ jobs }: Services, streams = createEventStreams()) => {
  /** Changes after `since`; with `untilOver` the stream ends with the job. */
  const follow = (call: Call, filter: JobFilter, since: number, untilOver: boolean): Response => {
    let change = since
    let over = false
    let first = true
    return streams.open(userKey(call.caller), async (signal) => {
      if (over) return null
      const { seen } = jobs.changes
      let rows = await jobs.changedSince(change, filter)
      if (rows.length === 0 && !first) {
        await jobs.changes.next(seen, HEARTBEAT_MS, signal)
        rows = await jobs.changedSince(change, filter)
      }
      first = false
      await call.reauthenticate()
      change = rows.at(-1)?.change ?? change
      over = untilOver && rows.some(isOver)
      return rows.map(eventOf)
    })
  }
  const filterOf = ({ caller }: Call): JobFilter => reachOf(caller)
  const before = ({ request, ownOrigin }: Call): void => assertNotForeign(request, ownOrigin)

  return [
    on.account.list('/api/jobs', {
      summary: 'Lists the jobs',
      description:
        'Work that was started with Prefer: respond-async. A user of role account sees those of its own account. Finished ones are kept for 30 days.',
      sortable: ['kind', 'subject', 'state', 'progress', 'created_at', 'finished_at'],
      row: jobSchema,
      rows: (list) => jobs.list(list),
    }),
    on.account.get('/api/jobs/events', {
      summary: 'Changes of all jobs',
      description: `${STREAM} Without it the stream begins with changes from now on.`,
      raw,
      errors: streamErrors,
      before,
      async handle(call) {
        return follow(
          call,
          filterOf(call),
          lastEventId(call.request) ?? (await jobs.latestChange()),
          false,
        )
      },
    }),
    on.account.get('/api/jobs/:id', {
      summary: 'One job',
      params,
      data: jobSchema,
      errors: { 404: NOT_FOUND },
      handle: ({ params: { id }, caller }) => jobs.get(id, reachOf(caller)),
    }),
    on.account.get('/api/jobs/:id/events', {
      summary: 'Changes of one job',
      description: `${STREAM} Without it the stream begins with the job as it is. It ends when the job is finished; close an EventSource then, which would come back otherwise.`,
      params,
      raw,
      errors: { ...streamErrors, 404: NOT_FOUND },
      before,
      async handle(call) {
        const { id } = call.params
        const job = await jobs.get(id, filterOf(call))
        const since = lastEventId(call.request) ?? 0
        // Everything was told before: the stream has nothing to wait for.
        const told =
          job.finished_at !== null && (await jobs.changedSince(since, { id })).length === 0
        return follow(call, { ...filterOf(call), id }, told ? 0 : since, true)
      },
    }),
  ]
}
