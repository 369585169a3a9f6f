import type { output, ZodObject, ZodType } from 'zod'
import type { Level } from '../../domain/access/member-role.ts'
import type { FailureStatus } from '../../errors.ts'
import type { Report } from '../../ports/jobs.ts'
import type { Recover } from '../../services/jobs/outcome.ts'
import type { Caller } from '../access/caller.ts'
import type { Action } from '../access/policy.ts'

/** Where a route is found. */
export interface RouteHead {
  method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  /** itty-router pattern, e.g. `/api/accounts/:id`. Fixed segments stand before parameters in the table. */
  path: string
  /** Group in the document. */
  tag: string
}

/** What a route takes and answers; how it is declared stands in `routes-of.ts`. */
interface RouteContract<
  Params extends ZodObject,
  Query extends ZodObject,
  Body extends ZodType,
  Data extends ZodType,
> {
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
  /** Throws 401, 403 or what `before` throws once the request would not be let in any more. */
  reauthenticate(): Promise<void>
  /** As `reauthenticate`; answers the caller with what is his now. */
  renewed(): Promise<Caller>
  /** The body of a route with `rawBody`, which breaks off in the same cases. To be asked for once. */
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
  /** Checks that come before the body is read, e.g. whose account it is; asked again while long work goes on. */
  before?(call: C): void | Promise<void>
  /** Runs reading of the body and `handle` inside something, e.g. a bound on how many run at once. */
  around?(call: C, work: () => Promise<Response>): Promise<Response>
  handle(call: C & { body: Body }): Promise<Data | HeadedResponse<Data> | Response>
}

/** A route for which a token is needed, without its head. */
export interface GuardedDeclaration<
  Params extends ZodObject = ZodObject,
  Query extends ZodObject = ZodObject,
  Body extends ZodType = ZodType,
  Data extends ZodType = ZodType,
>
  extends
    RouteContract<Params, Query, Body, Data>,
    Steps<Call<output<Params>, output<Query>>, output<Body>, output<Data>> {
  open?: false
  /** Declares that the work may be done as a job. */
  job?: JobDeclaration<Call<output<Params>, output<Query>>, output<Body>>
  /**
   * A GET that changes something: the rule against foreign pages holds, and it is recorded.
   * False: a POST that only asks, which readers may and which is not recorded.
   */
  changesState?: boolean
  /** About the page cache: API tokens with the scope `cache` may use it. */
  cache?: boolean
  /** About the user's own ways in: for nobody but the user, logged in with a password. */
  ownSession?: boolean
  /**
   * Changes a way into the account that is not the user's own, a password, a key or the
   * address: not for administrators who work as the account.
   */
  waysIn?: boolean
  /**
   * What it asks of persons who work in an account, where `action` is `account`. Default:
   * `read`, and `own` where it changes something.
   */
  level?: Level
}

/** A route that needs no token, without its head. */
export interface OpenDeclaration<
  Params extends ZodObject = ZodObject,
  Query extends ZodObject = ZodObject,
  Body extends ZodType = ZodType,
  Data extends ZodType = ZodType,
>
  extends
    RouteContract<Params, Query, Body, Data>,
    Steps<PublicCall<output<Params>, output<Query>>, output<Body>, output<Data>> {
  /** `token-used`: the handler looks at a token when there is one. */
  open: 'no-token' | 'token-used'
}

/** A route for which a token is needed; the application checks it and `action` before anything else. */
export interface GuardedRoute extends RouteHead, GuardedDeclaration {
  action: Action
}

/** A line of the routing table. */
export type Route = GuardedRoute | (RouteHead & OpenDeclaration)

/** Whether every unknown field of the request is 400. */
export const isStrict = ({ strict, method }: Pick<Route, 'strict' | 'method'>): boolean =>
  strict ?? (method === 'PATCH' || method === 'PUT' || method === 'DELETE')

/** Schema of parameters where there are none. */
export type NoFields = ZodObject<Record<never, never>>
