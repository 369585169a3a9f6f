import type { ZodType } from 'zod'
import { ok } from '../../envelope.ts'
import { AppError } from '../../errors.ts'
import type { Ambient, Judge } from '../../ports/judge.ts'
import type { Jobs } from '../../services/jobs/jobs.ts'
import { userKey, type Caller } from '../access/caller.ts'
import { authorizeAgain } from '../access/policy.ts'
import { check, readBody } from './input.ts'
import { assertNoBody, checkFieldNames, fieldsOf } from './known-fields.ts'
import { prefersAsync } from './prefer.ts'
import type { Call, GuardedRoute, PublicCall, Route } from './route.ts'
import { HeadedResponse, isStrict } from './route.ts'
import { watchedBody } from './watched-body.ts'

const decode = (params: Readonly<Record<string, string>>): Record<string, string> => {
  try {
    return Object.fromEntries(
      Object.entries(params).map(([name, value]) => [name, decodeURIComponent(value)]),
    )
  } catch {
    throw new AppError(400, 'The path contains a malformed percent escape.')
  }
}

const namesOf = (schema: ZodType | undefined): string[] =>
  schema === undefined ? [] : Object.keys(fieldsOf(schema) ?? {})

const readQuery = (route: Route, search: URLSearchParams): Record<string, unknown> => {
  const elsewhere = namesOf(route.body)
  const rule = { place: 'query', strict: isStrict(route), elsewhere } as const
  checkFieldNames(route.query, Object.fromEntries(search), rule)
  if (route.query === undefined) return {}
  const asked = Object.keys(route.query.shape).flatMap((name) => {
    const value = search.get(name)
    return value === null ? [] : [[name, value] as const]
  })
  return check(route.query, Object.fromEntries(asked))
}

const bodyOf = async (route: Route, request: Request): Promise<unknown> => {
  const strict = isStrict(route)
  const elsewhere = namesOf(route.query)
  const { body } = route
  if (body !== undefined)
    return readBody(request, body, {
      optional: route.bodyOptional ?? false,
      ...(route.bodyLimitBytes === undefined ? {} : { maxBytes: route.bodyLimitBytes }),
      seen: (value) => checkFieldNames(body, value, { place: 'body', strict, elsewhere }),
    })
  if (strict && route.rawBody === undefined) await assertNoBody(request, elsewhere)
  return undefined
}

/** Event streams look at every event who listens, and end instead of breaking off. */
const isWatched = ({ headers }: Response): boolean =>
  headers.get('content-type')?.startsWith('text/event-stream') !== true

const toResponse = (answer: unknown, check?: () => Promise<void>): Response => {
  if (answer instanceof Response) {
    return check === undefined || answer.body === null || !isWatched(answer)
      ? answer
      : new Response(watchedBody(answer.body, check), answer)
  }
  return answer instanceof HeadedResponse ? ok(answer.data, answer.headers) : ok(answer)
}

/** The route's work as a job that began just now. */
const startJob = async (
  route: GuardedRoute & { job: NonNullable<GuardedRoute['job']> },
  call: Call<Record<string, unknown>, Record<string, unknown>> & { body: unknown },
  jobs: Pick<Jobs, 'start'>,
  judged: <T>(work: () => T) => T,
): Promise<Response> => {
  const { caller } = call
  const about = await route.job.about(call)
  const order = {
    ...about,
    kind: route.job.kind,
    user: userKey(caller),
    resellerId: caller.role === 'reseller' ? caller.user.id : null,
  }
  const id = await jobs.start(order, async (report) => {
    // It may have waited; whoever asked must still be allowed to.
    const now = { ...call, caller: await call.renewed(), report }
    const answer = await judged(() => route.handle(now))
    return answer instanceof HeadedResponse ? answer.data : answer
  })
  return ok({ job_id: id }, { 'preference-applied': 'respond-async' })
}

const toNobody = (): void => undefined

/**
 * One request through a route: the caller, path parameters, query, `before`, body,
 * handler, each only when the one before has succeeded. `params` are as they
 * stand in the path. `seen` is told what was sent: the body, or the query of a
 * route that takes none. Throws what any of them throws.
 */
export const serveRoute = async (
  route: Route,
  params: Readonly<Record<string, string>>,
  arrival: Omit<PublicCall, 'params' | 'query'>,
  enter: (route: Route & { open?: false }) => Promise<Caller>,
  { jobs, judges }: { jobs: Pick<Jobs, 'start'>; judges: Ambient<Judge | null> },
  seen: (sent: unknown) => void,
): Promise<Response> => {
  const { request } = arrival
  const checked = () => ({
    ...arrival,
    params: route.params === undefined ? {} : check(route.params, decode(params)),
    query: readQuery(route, new URL(request.url).searchParams),
  })
  if (route.open) {
    const call = checked()
    await route.before?.(call)
    const work = async () =>
      toResponse(await route.handle({ ...call, body: await bodyOf(route, request) }))
    return route.around ? route.around(call, work) : work()
  }
  const caller = await enter(route)
  let latest = caller
  // What it names may be somebody else's by then: an account can be given to another reseller.
  const again = async (): Promise<Caller> => {
    const now = await enter(route)
    await route.before?.({ ...call, caller: now })
    return now
  }
  const renewed = async (): Promise<Caller> => (latest = await again())
  const judge: Judge = async () => authorizeAgain(latest, await again())
  const judged = <T>(work: () => T): T => judges.run(judge, work)
  const reauthenticate = async (): Promise<void> => void (await again())
  const call = {
    ...checked(),
    caller,
    report: toNobody,
    reauthenticate,
    renewed,
    content: () => (request.body === null ? null : watchedBody(request.body, reauthenticate)),
  }
  await route.before?.(call)
  const work = async () => {
    const body = await bodyOf(route, request)
    // A body may be sent slowly, and the caller lose its right meanwhile.
    const whole = { ...call, body, caller: route.body === undefined ? caller : await renewed() }
    seen(route.body === undefined ? call.query : whole.body)
    const { job } = route
    if (job !== undefined && prefersAsync(request))
      return startJob({ ...route, job }, whole, jobs, judged)
    return toResponse(await judged(() => route.handle(whole)), reauthenticate)
  }
  return route.around ? route.around(call, work) : work()
}
