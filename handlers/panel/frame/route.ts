import type { output, ZodNull, ZodObject, ZodType, ZodUndefined } from 'zod'
import type { FailureStatus } from '../../errors.ts'
import type { Report } from '../../ports/jobs.ts'
import type { Recover } from '../../services/jobs/outcome.ts'
import type { Caller } from '../access/caller.ts'
import type { Action } from '../access/policy.ts'

/**
 * How a route is declared. One declaration checks the request, types the
 * handler and is the route's part of `/api/openapi.json`:
 *
 *     route({
 *       method: 'POST',
 *       path: '/api/sites/:id/notes',
 *       action: 'account',                        // see policy.ts
 *       tag: 'Sites',
 *       summary: 'Adds a note',
 *       description: 'What a reader cannot guess; decisions are written down here.',
 *       params: z.object({ id: numberText('id') }),
 *       query: z.object({ urgent: oneOf('urgent', ['yes', 'no']).optional() }),
 *       body: z.object({ text: text('text', 500) }),
 *       data: noteSchema,                         // of the answer; absent: data is null
 *       errors: { 404: 'No such site.' },         // 400, 401, 413, 415, 500 come by themselves
 *       before: ({ params, caller }) => authorize(caller, 'account', params.id),
 *       handle: ({ params, query, body }) => notes.add(params.id, body.text, query.urgent),
 *     })
 *
 * A literal in an answer needs `as const`: `{ deleted: true as const }`.
 * Then the route is added in `routes.ts`. A list is declared by `listRoute`, a route
 * without token by `openRoute`. Fields come from `fields.ts`, whose messages
 * name the field. An object of an answer that appears more than once gets
 * `.meta({ id: 'Note' })`, its name in the document, and lives in `schemas/`.
 * `policy.ts` decides from `action`, `method`, `changesState`, `cache` and `ownSession`
 * who may; what is no GET (or `changesState`) goes into the audit log.
 * Headers are added with `withHeaders(data, headers)`. What leaves the envelope
 * (streams, downloads) says so in `raw` and answers a `Response`; a body that
 * is no JSON is described in `rawBody` and read from `content` by the handler.
 * Work that may take long declares itself a `job`: with `Prefer: respond-async`
 * the same `handle` then runs behind the answer, which is the job's id, and
 * `report` of the call goes to whoever follows the job.
 * `test/contract/frame/openapi-check.ts` holds every answer of the contract suites
 * against the declaration: an undeclared field or status is a failing test.
 */
interface RouteDefinition<
  Params extends ZodObject,
  Query extends ZodObject,
  Body extends ZodType,
  Data extends ZodType,
> {
  method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  /** itty-router pattern, e.g. `/api/accounts/:id`. Fixed segments stand before parameters in the table. */
  path: string
  /** Group in the document. */
  tag: string
  /** What it does, in a few words. */
  summary: string
  description?: string
  /** Exactly the parameters of `path`, percent-decoded texts. */
  params?: Params
  /** Fields take texts; the first of a repeated parameter counts, unknown ones as `strict` says. */
  query?: Query
  /**
   * Whether unknown fields of body and query are 400, because what is not understood
   * would change or remove something else than was meant. Default: of PATCH, PUT and
   * DELETE; elsewhere only those that are nearly a known one are (`known-fields.ts`).
   */
  strict?: boolean
  /** JSON body; absent: a body is not read. */
  body?: Body
  /** Whether no body at all is read as `{}`. Default: false, which is 415. */
  bodyOptional?: boolean
  /** Default: 1 MiB. */
  bodyLimitBytes?: number
  /** A body that the handler reads itself. */
  rawBody?: Described
  /** `data` of the envelope. Default: null. */
  data?: Data
  /** An answer outside the envelope; `data` is not used. */
  raw?: Described
  /** Whether `Range` is understood, i.e. 206 answered. */
  partial?: boolean
  /** Extra response headers on success, with what they mean. */
  headers?: Readonly<Record<string, string>>
  /** When which failure is answered, beside those that every such route has. */
  errors?: Readonly<Partial<Record<FailureStatus, string>>>
}

/** Bytes that no schema describes. */
export interface Described {
  mediaTypes: readonly string[]
  description: string
}

/** One request on its way to a resource, its parameters checked. */
export interface PublicCall<Params = unknown, Query = unknown> {
  request: Request
  params: Params
  query: Query
  /** Address that brute force is counted by and that the log names. */
  clientAddress: string
  secure: boolean
  /** Scheme and host under which the browser sees the panel. */
  ownOrigin: string
}

/** A call whose caller is known. */
export interface Call<Params = unknown, Query = unknown> extends PublicCall<Params, Query> {
  caller: Caller
  /** Told how far the work is; without a job nobody listens. */
  report: Report
  /** Throws 401 or 403 once the request would not be let in any more. */
  reauthenticate(): Promise<void>
  /** The body of a route with `rawBody`, which breaks off with 401 or 403 in the same case. To be asked for once. */
  content(): ReadableStream<Uint8Array> | null
}

/** How a route's work becomes a job; see `services/jobs.ts`. */
export interface JobDeclaration<C, Body> {
  /** E.g. `account.create`; unique. */
  kind: string
  /**
   * What the job is about and whose it is. Throws 403 or 404 where the caller
   * may not do it, as `handle` does: what is thrown here is answered at once.
   */
  about(call: C & { body: Body }): Promise<JobSubject> | JobSubject
  /** `data` once its operations turn out to be done after a crash. */
  recover?: Recover
}

export interface JobSubject {
  subject: string
  /** Account whose user may see the job; null: administrators alone. */
  accountId: number | null
}

/** `data` with response headers. */
export class HeadedResponse<T> {
  readonly data: T
  readonly headers: Readonly<Record<string, string>>

  constructor(data: T, headers: Readonly<Record<string, string>>) {
    this.data = data
    this.headers = headers
  }
}

/** What a handler answers when headers go with it. */
export const withHeaders = <T>(data: T, headers: Record<string, string>): HeadedResponse<T> =>
  new HeadedResponse(data, headers)

interface Steps<C, Body, Data> {
  /** Checks that come before the body is read, e.g. whose account it is. */
  before?(call: C): void | Promise<void>
  /** Runs reading of the body and `handle` inside something, e.g. a bound on how many run at once. */
  around?(call: C, work: () => Promise<Response>): Promise<Response>
  handle(call: C & { body: Body }): Promise<Data | HeadedResponse<Data> | Response>
}

/** A route for which a token is needed; the application checks it and `action` before anything else. */
export interface GuardedRoute<
  Params extends ZodObject = ZodObject,
  Query extends ZodObject = ZodObject,
  Body extends ZodType = ZodType,
  Data extends ZodType = ZodType,
>
  extends
    RouteDefinition<Params, Query, Body, Data>,
    Steps<Call<output<Params>, output<Query>>, output<Body>, output<Data>> {
  open?: false
  action: Action
  /** Declares that the work may be done as a job. */
  job?: JobDeclaration<Call<output<Params>, output<Query>>, output<Body>>
  /** A GET that changes something: the rule against foreign pages holds, and it is recorded. */
  changesState?: boolean
  /** About the page cache: API tokens with the scope `cache` may use it. */
  cache?: boolean
  /** About the user's own ways in: for nobody but the user, logged in with a password. */
  ownSession?: boolean
}

/** A route that needs no token. */
export interface OpenRoute<
  Params extends ZodObject = ZodObject,
  Query extends ZodObject = ZodObject,
  Body extends ZodType = ZodType,
  Data extends ZodType = ZodType,
>
  extends
    RouteDefinition<Params, Query, Body, Data>,
    Steps<PublicCall<output<Params>, output<Query>>, output<Body>, output<Data>> {
  /** `token-used`: the handler looks at a token when there is one. */
  open: 'no-token' | 'token-used'
}

/** A line of the routing table. */
export type Route = GuardedRoute | OpenRoute

/** Whether every unknown field of the request is 400. */
export const isStrict = ({ strict, method }: Pick<Route, 'strict' | 'method'>): boolean =>
  strict ?? (method === 'PATCH' || method === 'PUT' || method === 'DELETE')

/** Schema of parameters where there are none. */
export type NoFields = ZodObject<Record<never, never>>

/** Declares a route; how stands at the top of this file. */
export const route = <
  Params extends ZodObject = NoFields,
  Query extends ZodObject = NoFields,
  Body extends ZodType = ZodUndefined,
  Data extends ZodType = ZodNull,
>(
  definition: GuardedRoute<Params, Query, Body, Data>,
): Route => definition

/** Declares a route that needs no token. */
export const openRoute = <
  Params extends ZodObject = NoFields,
  Query extends ZodObject = NoFields,
  Body extends ZodType = ZodUndefined,
  Data extends ZodType = ZodNull,
>(
  definition: OpenRoute<Params, Query, Body, Data>,
): Route => definition
