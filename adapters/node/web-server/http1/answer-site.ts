import type { Log } from '#handlers/ports/log.ts'
import type { SiteContext, SiteHandler } from '#handlers/sites/site-context.ts'
import { RequestError } from './build-request.ts'
import { plainAnswer } from './plain-answer.ts'

/**
 * Asks the site handler. What it throws, and what `build` refuses, becomes an
 * answer; `refused` tells that the connection must end after it.
 */
export const answerSite = async (
  site: SiteHandler,
  build: () => Request,
  context: SiteContext,
  log: Log,
): Promise<{ response: Response; refused: boolean }> => {
  try {
    return { response: await site(build(), context), refused: false }
  } catch (error) {
    if (error instanceof RequestError) {
      return { response: plainAnswer(error.status, error.message), refused: true }
    }
    log.error('a request failed', {
      target: context.rawTarget,
      error: error instanceof Error ? (error.stack ?? error.message) : String(error),
    })
    return { response: plainAnswer(500, 'The cause is in the error log.'), refused: false }
  }
}
