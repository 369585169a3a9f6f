import { shownHost } from '../names/shown-host.ts'
import type { RuleRequest } from './rule-request.ts'

/**
 * Scheme, host and port at which the client asked for this site. A port only when
 * it is the listener's own: behind a forwarded port the client does not see it,
 * and another one would lead elsewhere.
 */
export const ownOrigin = ({ context, host, headers }: RuleRequest): string =>
  `${context.secure ? 'https' : 'http'}://${shownHost(headers, context, host)}`
