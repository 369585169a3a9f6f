import { z } from 'zod'
import { userKey } from '../access/caller.ts'
import { notFound } from '../../errors.ts'
import type { LogFile } from '../../ports/host/logs.ts'
import { LOG_FILES, LOG_LEVELS } from '../../ports/host/logs.ts'
import type { LogSearch } from '../../services/logs/logs.ts'
import { ACCOUNT_LOGS } from '../../services/logs/logs.ts'
import type { Services } from '../../services/services.ts'
import { assertNotForeign } from '../access/csrf.ts'
import { createEventStreams } from '../frame/event-stream.ts'
import { hostErrors, hostQuery } from '../hosts/host-query.ts'
import { moment, numberText, oneOf, text } from '../frame/fields.ts'
import { DOWNLOAD_BYTES, downloadLog } from './download.ts'
import { streamLog } from './stream.ts'
import { viewerOf } from './viewer.ts'
import { createOpenSlots } from '../frame/open-slots.ts'
import { authorize, reachOf } from '../access/policy.ts'
import type { Call } from '../frame/route.ts'
import { routesOf } from '../frame/routes-of.ts'
import { logPageSchema, logSourceSchema } from './schema.ts'

const params = z.object({ source: z.string() })

const place = (field: string) =>
  text(field, 40).regex(/^\d{1,20}-\d{1,15}$/, `${field} must be a place that the API answered.`)
const msOf = (value: string): number =>
  Date.parse(`${value.length === 10 ? `${value}T00:00:00` : value.replace(' ', 'T')}Z`)
const existing = (field: string) =>
  moment(field).refine(
    (value) => !Number.isNaN(msOf(value)),
    `${field} must be YYYY-MM-DD or YYYY-MM-DD HH:MM:SS, in UTC.`,
  )

const ofHost = {
  host: hostQuery.host.describe(
    'Name of the machine whose log it is, for administrators. Default: that of the domain, else that of the panel.',
  ),
}

const filters = z.object({
  q: text('q', 200).optional().describe('Only lines with this text, whatever the case.'),
  level: oneOf('level', LOG_LEVELS).optional().describe('Only this level and what is worse.'),
  status: text('status', 3)
    .regex(/^[1-5](\d\d|xx)$/, 'status must be a number such as 404, or a class such as 4xx.')
    .optional(),
  method: text('method', 16)
    .regex(/^[A-Z]+$/, 'method must be upper case, e.g. GET.')
    .optional(),
  domain: text('domain', 253).optional().describe('Only lines of this domain and its www. name.'),
  from: existing('from').optional().describe('Only lines from then on.'),
  to: existing('to').optional().describe('Only lines before then.'),
  ...ofHost,
})
type Filters = z.output<typeof filters>

const DEFAULT_LINES = 200
const MAX_SEARCHES = { ofUser: 4, all: 64 }
const MAX_STREAMS = { ofUser: 4, all: 32 }
const MAX_DOWNLOADS = { ofUser: 2, all: 8 }

const on = routesOf('Logs')
const WHAT =
  "Administrators see all; a user of role account of access, error and php the lines of its own domains, from the moment on that the domain was created. Lines that name no domain are the administrators'. Values that look like secrets (parameters such as token, password, key, code; bearer and API tokens; passwords in addresses) are *** everywhere, also for the search; files on the disk keep them."
const errors = {
  403: 'The log is for administrators.',
  404: 'No such log, or no such domain.',
  503: 'The host does not answer, or too many logs are being read.',
} as const

const sourceOf = ({ params: { source } }: Call<{ source: string }>): LogFile => {
  const known = LOG_FILES.find((file) => file === source)
  if (known === undefined) throw notFound('Log not found. List the logs to see which there are.')
  return known
}

const allow = (call: Call<{ source: string }>): void => {
  const source = sourceOf(call)
  if (!ACCOUNT_LOGS.includes(source)) authorize(call.caller, 'system')
}

const searchOf = (query: Filters): LogSearch => ({
  q: query.q === undefined || query.q === '' ? null : query.q,
  level: query.level ?? null,
  status: query.status ?? null,
  method: query.method ?? null,
  domain: query.domain?.toLowerCase() ?? null,
  fromMs: query.from === undefined ? null : msOf(query.from),
  toMs: query.to === undefined ? null : msOf(query.to),
})

/** What the installation has written down. */
export const logRoutes = ({ logs }: Services) => {
  const searches = createOpenSlots(
    MAX_SEARCHES,
    'Too many logs are being searched. Try again when the others are done.',
  )
  const streams = createEventStreams(MAX_STREAMS)
  const downloads = createOpenSlots(
    MAX_DOWNLOADS,
    'Too many logs are being downloaded. Try again when the others are done.',
  )
  return [
    on.account.get('/api/logs', {
      summary: 'The logs that the caller may read',
      query: z.object(ofHost),
      data: z.array(logSourceSchema),
      errors: { ...hostErrors, 503: errors[503] },
      handle: (call) => logs.sources(viewerOf(call)),
    }),
    on.account.get('/api/logs/:source', {
      summary: 'Lines of a log, newest first',
      description: `${WHAT} Rotated files (.1, .2.gz, …) are gone through after the current one; compressed ones of more than 256 MiB are left out. A request reads 8 MiB at most, and answers 1 MiB of lines. A log that was never written to is empty.`,
      params,
      query: filters.extend({
        lines: numberText('lines', 500).optional().describe(`Default: ${DEFAULT_LINES}.`),
        before: place('before').optional().describe('Only lines before this place.'),
      }),
      data: logPageSchema,
      errors: {
        ...errors,
        409: 'The place was rotated away.',
        429: `Too many searches at once: ${MAX_SEARCHES.ofUser} by one user, ${MAX_SEARCHES.all} by all.`,
      },
      before: allow,
      // Searches wait in one row for the host: one user must not fill it.
      async around({ caller }, work) {
        const leave = searches.enter(userKey(caller))
        try {
          return await work()
        } finally {
          leave()
        }
      },
      handle: (call) =>
        logs.read(viewerOf(call), sourceOf(call), searchOf(call.query), {
          before: call.query.before ?? null,
          lines: call.query.lines ?? DEFAULT_LINES,
        }),
    }),
    on.account.get('/api/logs/:source/stream', {
      summary: 'Follows a log',
      description: `Events: line, whose data is a line as GET /api/logs/:source answers it; skipped, when lines were left out because too many came or the file was emptied; begin and place, which only carry an id. With Last-Event-ID, or else after, it goes on behind that place, else at the end of the log. It goes on through rotations. ${WHAT}`,
      params,
      query: filters.extend({
        after: place('after').optional().describe('Value of end, or of an event id.'),
      }),
      raw: { mediaTypes: ['text/event-stream'], description: 'Events, outside the envelope.' },
      errors: {
        ...errors,
        403: 'The log is for administrators, or the cookie came from a foreign page.',
        429: `Too many logs are followed: ${MAX_STREAMS.ofUser} by one user, ${MAX_STREAMS.all} by all.`,
      },
      before(call) {
        assertNotForeign(call.request, call.ownOrigin)
        allow(call)
      },
      async handle(call) {
        const source = sourceOf(call)
        const search = searchOf(call.query)
        await logs.assertVisible(reachOf(call.caller), search.domain)
        const last = call.request.headers.get('last-event-id') ?? ''
        const asked = /^\d{1,20}-\d{1,15}$/.test(last) ? last : call.query.after
        const after = asked ?? (await logs.place(viewerOf(call), search.domain, source))
        return streamLog(logs, streams, call, source, search, after)
      },
    }),
    on.account.get('/api/logs/:source/download', {
      summary: 'Downloads a log',
      description: `The lines that the filters leave, oldest first, as text: of the newest ${DOWNLOAD_BYTES / 2 ** 20} MiB of the current file and the one before it. ${WHAT}`,
      params,
      query: filters,
      raw: { mediaTypes: ['text/plain'], description: 'The lines, outside the envelope.' },
      errors: {
        ...errors,
        429: `Too many downloads: ${MAX_DOWNLOADS.ofUser} by one user, ${MAX_DOWNLOADS.all} by all.`,
      },
      before: allow,
      handle: (call) => downloadLog(logs, downloads, call, sourceOf(call), searchOf(call.query)),
    }),
  ]
}
