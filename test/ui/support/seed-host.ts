import { foundWordpress } from '#test/fakes/wordpress/fake-wordpress.ts'
import { foreignArchive } from './foreign-archive.ts'
import type { TestPanel } from './start-panel.ts'

/** An archive of another panel that lies on the host. */
export const ARCHIVE = '/root/old/cpmove-fay.tar.gz'

const AGENT = 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0'
const PATHS = ['/', '/blog/', '/blog/winter', '/photos/?page=2', '/wp-login.php', '/feed/']
const HOSTS = ['lena.example', 'otto-books.example', 'shop.lena.example']

/** The web server writes quotes of visitors as `\x22`. */
const escaped = (text: string): string => text.replaceAll('"', '\\x22')

/** A line of the access log as the web server writes it, `agoSecs` old. */
export const accessLine = (
  index: number,
  agoSecs: number,
  { path = PATHS[index % PATHS.length] ?? '/', agent = AGENT } = {},
): string => {
  const [, day, month, year, time] =
    /^\w+, (\d+) (\w+) (\d+) ([\d:]+)/.exec(new Date(Date.now() - agoSecs * 1000).toUTCString()) ??
    []
  const status = [200, 200, 304, 404, 200, 200, 503, 301][index % 8] ?? 200
  const cache = status === 200 ? ['HIT', 'MISS', 'BYPASS'][index % 3] : 'MISS'
  const request = `${index % 9 === 4 ? 'POST' : 'GET'} ${escaped(path)} HTTP/2.0`
  const sizeBytes = 900 + ((index * 7919) % 60_000)
  return `192.0.2.${1 + (index % 40)} - - [${day}/${month}/${year}:${time} +0000] "${request}" ${status} ${sizeBytes} "-" "${escaped(agent)}" ${HOSTS[index % HOSTS.length]} ${cache} 0.0${10 + (index % 80)}`
}

/**
 * Gives the sites of `seed` visitors, stored pages and lines in the logs.
 * `text` stands where a stranger's words come into a log, e.g. a user agent.
 */
export const seedHost = async (
  panel: Pick<TestPanel, 'writeLog' | 'fillCache' | 'layArchives' | 'setWordpress'>,
  text = 'Undefined array key "page"',
): Promise<void> => {
  await panel.fillCache()
  const blog = foundWordpress('lena.example', '6.1.1')
  const plugin = { slug: 'akismet', name: text, version: '4.0', newest: '5.0.1' }
  const copy = { ...foundWordpress('shop.lena.example'), path: 'shop', staging_of: blog.path }
  await panel.setWordpress('lena', { ...blog, plugins: [plugin] }, copy)
  await panel.layArchives([[ARCHIVE, foreignArchive('fay', text)]])
  const lines = Array.from({ length: 60 }, (_, index) => accessLine(index, (61 - index) * 47))
  const strange = accessLine(61, 0, { path: `/search?q=${text}`, agent: text })
  await panel.writeLog('access', ...lines, strange)
  const now = new Date().toISOString()
  await panel.writeLog(
    'error',
    `${now} [warn] 41: upstream is slow domain=otto-books.example ms=2300`,
    `${now} [error] 41: no such file domain=lena.example path=/${escaped(text)}`,
  )
  await panel.writeLog(
    'php',
    `${now} lena.example: PHP message: PHP Warning:  ${text} in /home/lena/public_html/index.php on line 7`,
    `${now} otto-books.example: PHP message: PHP Fatal error:  Uncaught Error: Call to undefined function stock()`,
  )
  const message = { level: 40, time: Date.now(), msg: text }
  await panel.writeLog('panel', JSON.stringify(message))
}
