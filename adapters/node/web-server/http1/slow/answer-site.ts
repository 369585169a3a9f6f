import type { Log } from '#handlers/ports/log.ts'
import type { SiteContext, SiteHandler } from '#handlers/sites/site-context.ts'
import { RequestError } from './build-request.ts'
import { plainAnswer } from './plain-answer.ts'

/** What a site handler's answer amounts to. */
export interface SiteAnswer {
  response: Response
  /** The connection must end after it. */
  refused: boolean
}

/** The answer instead of what the site handler threw, or what making its request refused. */
export const answerOfFailure = (error: unknown, rawTarget: string, log: Log): SiteAnswer => {
  if (error instanceof RequestError) {
    return { response: plainAnswer(error.status, error.message), refused: true }
  }
  log.error('a request failed', {
    target: rawTarget,
    error: error instanceof Error ? (error.stack ?? error.message) : String(error),
  })
  return { response: plainAnswer(500, 'The cause is in the error log.'), refused: false }
}

/** Asks the site handler. What it throws, and what `build` refuses, becomes an answer. */
export const answerSite = async (
  site: SiteHandler,
  build: () => Request,
  context: SiteContext,
  log: Log,
): Promise<SiteAnswer> => {
  try {
    return { response: await site(build(), context), refused: false }
  } catch (error) {
    return answerOfFailure(error, context.rawTarget, log)
  }
}
