/** What a browser's request amounts to, in bytes, from `GET` to the empty line. */
export const HEAD_BYTES = 557

/** Fields as a browser sends them for a page; `accept-encoding` decides which coding comes back. */
const FIELDS = {
  connection: 'keep-alive',
  'upgrade-insecure-requests': '1',
  accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8',
  'sec-fetch-site': 'none',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-dest': 'document',
  'accept-language': 'en-GB,en;q=0.9,de;q=0.8',
} as const

const AGENT = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0'

const headBytes = (path: string, fields: Readonly<Record<string, string>>): number =>
  `GET ${path} HTTP/1.1\r\n\r\n`.length +
  Object.entries(fields).reduce((sum, [name, value]) => sum + name.length + value.length + 4, 0)

/**
 * Fields besides `Host` of a head of exactly `HEAD_BYTES`; the name of the
 * browser is made as long as that takes.
 */
export const browserHead = (
  host: string,
  path: string,
  acceptEncoding: string,
): Record<string, string> => {
  const fields = { 'user-agent': AGENT, ...FIELDS, 'accept-encoding': acceptEncoding }
  const missing = HEAD_BYTES - headBytes(path, { host, ...fields })
  if (missing < 1) throw new Error(`a head for ${host}${path} is ${-missing} bytes too long`)
  return {
    ...fields,
    'user-agent': `${AGENT} ${'Safari/537.36 '.repeat(40)}`.slice(0, AGENT.length + missing),
  }
}
