import type { Random } from './random.ts'
import { mutateHead } from './head-mutations.ts'
import { ODD_FIELDS } from './odd-fields.ts'

const AGENTS = [
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148 Safari/604.1',
  'curl/8.5.0',
  'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
]
const FIELDS = [
  'Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'Accept: */*',
  'Accept-Encoding: gzip, deflate, br, zstd',
  'Accept-Encoding: identity',
  'Accept-Language: de-DE,de;q=0.9,en;q=0.8',
  'Cookie: _ga=GA1.1.1; theme=dark',
  'Cookie: wordpress_logged_in_1=x',
  'Referer: http://example.com/?from="there"',
  'If-None-Match: W/"abc"',
  'Upgrade-Insecure-Requests: 1',
  'Sec-Fetch-Mode: navigate',
  'Cache-Control: max-age=0',
  'X-Forwarded-For: 127.0.0.1',
  'X-Empty:',
  'X-Umlaut: gr\xfc\xdfe',
  'Connection: keep-alive',
  'Connection: close',
]
const HOSTS = ['example.com', 'Example.COM:8080', 'a.test', '127.0.0.1', 'xn--bcher-kva.example.']
const TARGETS = ['/', '/a/b.html', '/?q=1&b=%20', '/%7euser//x/../y', '/wp-login.php', '/a;b=c/.x']

const pickSome = (random: Random, from: readonly string[], most: number): string[] =>
  Array.from({ length: random.below(most + 1) }, () => random.pick(from))

/** A head as browsers send it, without the empty line at its end. */
const plainHead = (random: Random): string => {
  const fields = [`User-Agent: ${random.pick(AGENTS)}`, ...pickSome(random, FIELDS, 6)]
  // Fields that occur once in a browser's head, mostly.
  const once = random.chance(0.9)
    ? [...new Map(fields.map((f) => [f.split(':')[0], f])).values()]
    : fields
  once.splice(random.below(once.length + 1), 0, `Host: ${random.pick(HOSTS)}`)
  const method = random.chance(0.2) ? 'HEAD' : 'GET'
  return [`${method} ${random.pick(TARGETS)} HTTP/1.1`, ...once].join('\r\n')
}

/** A request with a body in one of the two framings. */
const bodied = (random: Random): string => {
  const body = random.chance(0.5) ? 'GET /hidden HTTP/1.1\r\nHost: a.test\r\n\r\n' : 'a=1&b=2'
  const start = `${random.pick(['POST', 'PUT', 'GET'])} /form HTTP/1.1\r\nHost: a.test\r\n`
  return random.chance(0.5)
    ? `${start}Content-Length: ${body.length}\r\n\r\n${body}`
    : `${start}Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`
}

/** Makes the head about as long as a head may be. */
const stretch = (random: Random, head: string): string =>
  `${head}\r\nX-Long: ${'y'.repeat(Math.max(0, 16_384 - 20 - head.length + random.below(30)))}`

const oneRequest = (random: Random, head: string): string => {
  if (random.chance(0.1)) return bodied(random)
  let text = head
  if (random.chance(0.12)) text = `${text}\r\n${random.pick(ODD_FIELDS)}`
  if (random.chance(0.01)) text = stretch(random, text)
  text += '\r\n\r\n'
  const mutations = random.pick([0, 0, 1, 1, 1, 2, 3])
  for (let i = 0; i < mutations; i++) text = mutateHead(random, text)
  return text
}

/**
 * Bytes of one connection, as latin1: one to four requests, most of them a
 * browser's head that something was done to, and often the same head again with
 * another target, as a connection that is kept repeats it.
 */
export const generateConnection = (random: Random): string => {
  let head = plainHead(random)
  let text = ''
  for (let requests = 1 + random.below(4); requests > 0; requests--) {
    text += oneRequest(random, head)
    if (random.chance(0.25)) head = plainHead(random)
    else if (random.chance(0.7)) head = head.replace(/ \S+ /, () => ` ${random.pick(TARGETS)} `)
  }
  return random.chance(0.15) ? text.slice(0, random.below(text.length)) : text
}
