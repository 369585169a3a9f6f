import { METHODS } from 'node:http'

/** They make tunnels and echoes, which no site offers. */
const REFUSED = new Set(['CONNECT', 'TRACE'])

/**
 * Methods that reach a site, whichever protocol they come by: all that HTTP/1 requests
 * can be read with. WebDAV applications need their own ones, and what a page or
 * a file has to say to another method than GET is theirs to say (405).
 */
export const SERVED_METHODS: ReadonlySet<string> = new Set(
  METHODS.filter((method) => !REFUSED.has(method)),
)
