/** What a report says of paths for certificate authorities. */
export const CHALLENGES = 'Berth answers certificate authorities by itself.'

/** Whether a path, or the pattern of one, is theirs (RFC 8615). */
export const isChallengePath = (given: string): boolean =>
  /^\/\.well-known(?:\/|$)/.test(given.replace(/^\^|\\/g, ''))
