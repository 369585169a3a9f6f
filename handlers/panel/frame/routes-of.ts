import type { ZodNull, ZodObject, ZodType, ZodUndefined } from 'zod'
import type { Level } from '../../domain/access/member-role.ts'
import { changesSomething, type Action } from '../access/policy.ts'
import { listDeclaration, type ListDeclaration } from './list-declaration.ts'
import type { GuardedDeclaration, NoFields, OpenDeclaration, Route, RouteHead } from './route.ts'

type Method = RouteHead['method']

/** What all routes of a group have unless they say otherwise. */
interface Common extends Pick<GuardedDeclaration, 'cache'> {
  /** `level` of those that change something. Default: `own`. */
  changes?: Level
}

/**
 * Declares the routes of one group in the document. One declaration checks the
 * request, types the handler and is the route's part of `/api/openapi.json`:
 *
 *     const on = routesOf('Sites')
 *
 *     on.account.post('/api/sites/:id/notes', {    // who may: see `Action` in policy.ts
 *       summary: 'Adds a note',
 *       description: 'What a reader cannot guess; decisions are written down here.',
 *       params: z.object({ id: numberText('id') }),
 *       query: z.object({ urgent: oneOf('urgent', ['yes', 'no']).optional() }),
 *       body: z.object({ text: text('text', 500) }),
 *       data: noteSchema,                           // of the answer; absent: data is null
 *       errors: { 404: 'No such site.' },           // 400, 401, 413, 415, 500 come by themselves
 *       before: ({ params, caller }) => authorize(caller, 'account', params.id),
 *       handle: ({ params, query, body }) => notes.add(params.id, body.text, query.urgent),
 *     })
 *
 * A literal in an answer needs `as const`: `{ deleted: true as const }`.
 * Then the route is added in `routes.ts`. A list is declared by `list`, a route
 * without token by `open`. Fields come from `fields.ts`, whose messages
 * name the field. An object of an answer that appears more than once is `named`
 * (`common-schemas.ts`) and lives in the room's `schema.ts`.
 * `policy.ts` decides from action, `level`, `method`, `changesState`, `cache`, `ownSession`
 * and `waysIn` who may: of the persons of an account its readers whatever changes nothing,
 * developers too what `routesOf('Sites', { changes: 'develop' })` or `level` gives them,
 * owners everything; what is no GET (or `changesState`) goes into the audit log.
 * Headers are added with `withHeaders(data, headers)`. What leaves the envelope
 * (streams, downloads) says so in `raw` and answers a `Response`; a body that
 * is no JSON is described in `rawBody` and read from `content` by the handler.
 * Work that may take long declares itself a `job`: with `Prefer: respond-async`
 * the same `handle` then runs behind the answer, which is the job's id, and
 * `report` of the call goes to whoever follows the job.
 * `test/contract/frame/openapi-check.ts` holds every answer of the contract suites
 * against the declaration: an undeclared field or status is a failing test.
 */
export const routesOf = (tag: string, { changes, ...common }: Common = {}) => {
  const guarded = (action: Action) => {
    const verb =
      (method: Method) =>
      <
        Params extends ZodObject = NoFields,
        Query extends ZodObject = NoFields,
        Body extends ZodType = ZodUndefined,
        Data extends ZodType = ZodNull,
      >(
        path: string,
        declaration: GuardedDeclaration<Params, Query, Body, Data>,
      ): Route => {
        const plain: GuardedDeclaration = declaration
        const changing = changes !== undefined && changesSomething({ ...plain, method })
        return {
          ...(changing ? { level: changes } : {}),
          ...common,
          ...plain,
          method,
          path,
          tag,
          action,
        }
      }
    const get = verb('GET')
    return {
      get,
      /** A GET that takes paging, order and search. */
      list: <Row extends ZodType, Params extends ZodObject = NoFields>(
        path: string,
        declaration: ListDeclaration<Params, Row>,
      ): Route => get(path, listDeclaration(declaration)),
      post: verb('POST'),
      put: verb('PUT'),
      patch: verb('PATCH'),
      delete: verb('DELETE'),
    }
  }
  return {
    self: guarded('self'),
    account: guarded('account'),
    manage: guarded('manage'),
    system: guarded('system'),
    /** A POST that needs no token. */
    open: <
      Params extends ZodObject = NoFields,
      Query extends ZodObject = NoFields,
      Body extends ZodType = ZodUndefined,
      Data extends ZodType = ZodNull,
    >(
      path: string,
      declaration: OpenDeclaration<Params, Query, Body, Data>,
    ): Route => {
      const plain: OpenDeclaration = declaration
      return { ...plain, method: 'POST', path, tag }
    },
  }
}
