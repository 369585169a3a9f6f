import type { Log } from '#handlers/ports/log.ts'
import type { SiteContext, SiteHandler } from '#handlers/sites/site-context.ts'
import { RequestError } from './build-request.ts'
import { plainResponse } from './plain-response.ts'

/** What a site handler's answer amounts to. */
export interface SiteResponse {
  response: Response
  /** The connection must end after it. */
  refused: boolean
}

/** The response instead of what the site handler threw, or what making its request refused. */
export const responseOfFailure = (error: unknown, rawTarget: string, log: Log): SiteResponse => {
  if (error instanceof RequestError) {
    return { response: plainResponse(error.status, error.message), refused: true }
  }
  log.error('a request failed', {
    target: rawTarget,
    error: error instanceof Error ? (error.stack ?? error.message) : String(error),
  })
  return { response: plainResponse(500, 'The cause is in the error log.'), refused: false }
}

/** Asks the site handler. What it throws, and what `build` refuses, becomes a response. */
export const serveSite = async (
  site: SiteHandler,
  build: () => Request,
  context: SiteContext,
  log: Log,
): Promise<SiteResponse> => {
  try {
    return { response: await site(build(), context), refused: false }
  } catch (error) {
    return responseOfFailure(error, context.rawTarget, log)
  }
}
