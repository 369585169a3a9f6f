/** Characters of a draft, as many as bytes of a file of rules may be. */
export const MAX_DRAFT = 128 * 1024
/** Characters of the address. */
export const MAX_TEST_URL = 8000
/** Fields of the request that may be chosen. */
export const MAX_TEST_HEADERS = 50
const MAX_HEADER_VALUE = 4000

/** Methods that a test may use. */
export const TEST_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const

/** Fields that are about the connection or the body, or that the address says. */
const NOT_CHOSEN = new Set([
  ...['host', 'connection', 'content-length', 'transfer-encoding', 'upgrade', 'te', 'trailer'],
  ...['keep-alive', 'proxy-connection', 'expect'],
])

/** What is wrong with a field of a tested request, as a sentence; null: nothing. */
export const testHeaderProblem = (name: string, value: string): string | null => {
  if (!/^[!#$%&'*+.^_`|~0-9a-z-]{1,100}$/.test(name))
    return `${JSON.stringify(name.slice(0, 100))} is no name of a header in lower case.`
  if (NOT_CHOSEN.has(name)) return `${name} cannot be chosen. Host is what the address says.`
  if (value.length > MAX_HEADER_VALUE)
    return `${name} must be at most ${MAX_HEADER_VALUE} characters.`
  if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value))
    return `${name} must not contain control characters, nor others than Latin ones.`
  return null
}

/** An address to test, taken apart as a browser sends it. */
export interface TestAddress {
  secure: boolean
  /** With the port, where one is named. */
  host: string
  /** Path and query. */
  target: string
}

const escaped = (text: string): string =>
  Array.from(new TextEncoder().encode(text), (byte) =>
    byte <= 0x20 || byte >= 0x7f
      ? `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
      : String.fromCharCode(byte),
  ).join('')

/** Null for what is no address of a site. Dots and escapes of the path stay, as some clients send them. */
export const readTestAddress = (url: string): TestAddress | null => {
  if (url.length > MAX_TEST_URL || url.includes('\0')) return null
  const parts = /^(https?):\/\/([^/?#\s\\@]+)([^#]*)/i.exec(url.trim())
  if (parts === null || !URL.canParse(`${parts[1]}://${parts[2]}/`)) return null
  const { host, protocol } = new URL(`${parts[1]}://${parts[2]}/`)
  const rest = parts[3] ?? ''
  const target = escaped(rest.startsWith('/') ? rest : `/${rest}`)
  return { secure: protocol === 'https:', host, target }
}
