const MAX_REASON = 400
/** Addresses with or without a port, paths and URLs of ours, also with a scheme. */
const PLACES =
  /(?:\b(?:s3|sftp|rest):)?(?:https?:\/\/|\/)[^\s"'()]+|\b\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?|\[?(?<![\w:])(?:[0-9a-f]{1,4})?(?::[0-9a-f]{0,4}){2,7}(?:%\w{1,16})?\]?(?::\d{1,5})?(?![\w:])/gi
/** Names of machines, where DNS or TLS speak of them. */
const NAMES = /\b(ENOTFOUND|EAI_AGAIN|ENODATA|ESERVFAIL|EREFUSED|ETIMEOUT)\s+[^\s,;]+/g
const ALTNAMES = /\baltnames:.*/s

/**
 * What a target or restic said, for accounts too: they need not know where our things are.
 * All of it is in the agent's log.
 */
export const withoutPlaces = (text: string): string =>
  text
    .slice(0, 2 * MAX_REASON)
    .replace(ALTNAMES, 'altnames')
    .replace(NAMES, '$1 …')
    .replace(PLACES, '…')
    .slice(0, MAX_REASON)
