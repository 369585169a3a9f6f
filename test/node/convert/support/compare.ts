import type { SiteResponse } from '#test/support/instance-types.ts'
import {
  comparableResponse,
  type ComparableResponse,
} from '../../htaccess/support/comparable-response.ts'
import type { FamilyAsk } from './family.ts'

/** Names of one thing, and a charset, which nginx says only where it is told to. */
const plainType = (type: string): string =>
  type
    .replace(/;\s*charset=[\w-]+/i, '')
    .replace(/^(?:application|text)\/(?:x-)?javascript$/, 'text/javascript')
    .replace(/^(?:application|text)\/xml$/, 'text/xml')

/** Pages of nginx's own words look like those of Berth's. */
const withoutWords = (answer: SiteResponse): SiteResponse =>
  answer.text.includes('<center>nginx')
    ? { ...answer, text: `<p><small>${answer.status}</small></p>` }
    : answer

/** What of an answer has to be the same; ports are those of the test. */
export const comparable = (
  given: SiteResponse,
  [target, options]: FamilyAsk,
  host: string,
): ComparableResponse => {
  const scheme = options?.secure ? 'https' : 'http'
  const answer = comparableResponse(
    withoutWords(given),
    `${scheme}://${options?.host ?? host}${target}`,
  )
  const type = answer.fields['content-type']
  const fields = { ...answer.fields }
  if (type !== undefined) fields['content-type'] = plainType(type)
  // A redirect has no text of its own to speak of.
  if (answer.status >= 300 && answer.status < 400) delete fields['content-type']
  const location = answer.location?.replace(/^(https?:\/\/[^/:]+):\d+/, '$1') ?? null
  const body = answer.status === 416 ? '' : answer.body
  return { ...answer, fields, location, body }
}
