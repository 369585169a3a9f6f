import type { Caller } from './caller.ts'
import type { Action } from './policy.ts'

/** One request on its way to a resource. */
export interface Call {
  request: Request
  /** Path parameters, percent-decoded. */
  params: Readonly<Record<string, string>>
  query: URLSearchParams
  /** Address that brute force is counted by and that the log names. */
  clientAddress: string
  secure: boolean
  /** Scheme and host under which the browser sees the panel. */
  ownOrigin: string
  caller: Caller
}

/** A call that needs no token. */
export type PublicCall = Omit<Call, 'caller'>

interface RouteBase {
  method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  /** itty-router pattern, e.g. `/api/accounts/:id`. Fixed segments stand before parameters in the table. */
  path: string
}

/**
 * A line of the routing table. The application checks token and `action`
 * before `handle` runs, so no handler can forget to; `handle` adds the check of
 * the account it works on. What it answers is put into the envelope, unless it
 * is a `Response` already.
 */
export type Route =
  | (RouteBase & { open: true; handle(call: PublicCall): Promise<unknown> })
  | (RouteBase & {
      open?: false
      action: Action
      /** A GET that changes something, for the rule against foreign pages. */
      changesState?: boolean
      handle(call: Call): Promise<unknown>
    })
