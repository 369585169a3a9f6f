import { createHash } from 'node:crypto'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { eventually, type WebProcess } from '../../web-server/support/web-process.ts'
import type { PhpSite } from '../../web-server/support/php-site.ts'

/** A front controller whose behaviour is set by files beside the document root. */
const SCRIPT = `<?php
$base = __DIR__ . '/..';
$path = $_SERVER['REQUEST_URI'];
$note = fn(string $what) => file_put_contents("$base/log", microtime(true) . " $what $path\\n", FILE_APPEND | LOCK_EX);
$note('begin');
if (is_file("$base/wait")) usleep(1000 * (int) file_get_contents("$base/wait"));
$once = "$base/fail" . md5($path);
if (is_file($once) && (int) file_get_contents($once) > 0) {
  file_put_contents($once, (int) file_get_contents($once) - 1);
  http_response_code(502);
  $note('end');
  exit;
}
header('Content-Type: text/html; charset=utf-8');
if ($path === '/moved') header('Location: http://169.254.169.254/latest', true, 302);
if ($path === '/account') setcookie('a', 'b');
if ($path === '/gone') http_response_code(404);
if ($path === '/sitemap.xml') { header('Content-Type: application/xml'); readfile("$base/sitemap.xml"); $note('end'); exit; }
if ($path === '/child.xml') { header('Content-Type: application/xml'); readfile("$base/child.xml"); $note('end'); exit; }
echo 'version ', trim(file_get_contents("$base/version")), ' path ', $path;
// A page that shows its visitor is filled once more, by nobody's request.
if ($path === '/who') echo ' ip ', $_SERVER['REMOTE_ADDR'];
echo ' host ', $_SERVER['HTTP_HOST'];
if ($path === '/') readfile("$base/links.html");
$note('end');
`

export interface WarmSite {
  /** Directory beside the document root, where the script's files lie. */
  base: string
  /** What ran, in order. */
  events(): { at: number; what: 'begin' | 'end'; path: string }[]
  set(file: string, text: string): void
  /** Lets the next so many requests for a path fail. */
  failNext(path: string, times: number): void
  /** How many scripts ran at the same time at most. */
  most(): number
  reset(): void
}

/** Puts the script in place of the site's own. */
export const prepareWarmSite = (site: PhpSite): WarmSite => {
  const base = join(site.root, '..')
  const set = (file: string, text: string): void => {
    writeFileSync(join(base, file), text)
    chmodSync(join(base, file), 0o666)
  }
  mkdirSync(base, { recursive: true })
  writeFileSync(join(site.root, 'index.php'), SCRIPT)
  const reset = (): void => {
    for (const name of ['log', 'links.html']) set(name, '')
    set('version', '1')
    set('wait', '0')
    set('sitemap.xml', '<urlset></urlset>')
    set('child.xml', '<urlset></urlset>')
  }
  reset()
  const events: WarmSite['events'] = () =>
    readFileSync(join(base, 'log'), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => {
        const [at = '0', what = '', path = ''] = line.split(' ')
        return { at: Number(at), what: what === 'begin' ? 'begin' : 'end', path }
      })
  return {
    base,
    events,
    set,
    failNext: (path, times) =>
      set(`fail${createHash('md5').update(path).digest('hex')}`, String(times)),
    reset,
    most: () => {
      let now = 0
      let most = 0
      for (const { what } of events().sort((a, b) => a.at - b.at)) {
        now += what === 'begin' ? 1 : -1
        most = Math.max(most, now)
      }
      return most
    },
  }
}

export interface Answer {
  status: number
  body: Record<string, unknown>
}

/** Calls the management API of a web server, with a JSON body where one is given. */
export const manage = (
  web: WebProcess,
  method: string,
  path: string,
  body?: unknown,
): Promise<Answer> => {
  const config = readFileSync(join(web.directory, 'berth.toml'), 'utf8')
  const port = Number(/\[api\]\s+listen = "127\.0\.0\.1:(\d+)"/.exec(config)?.[1])
  const token = readFileSync(join(web.directory, 'run/management.token'), 'utf8').trim()
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}` }
    const outgoing = request(
      { host: '127.0.0.1', port, method, path, headers, agent: false },
      (answer) => {
        let all = ''
        answer.setEncoding('utf8')
        answer.on('data', (part: string) => (all += part))
        answer.on('end', () =>
          resolve({
            status: answer.statusCode ?? 0,
            body: JSON.parse(all) as Record<string, unknown>,
          }),
        )
      },
    )
    outgoing.on('error', reject)
    outgoing.end(body === undefined ? undefined : JSON.stringify(body))
  })
}

export interface WarmStats {
  queue_size: number
  running: number
  done: number
  failed: number
  retried: number
  skipped: number
  deduplicated: number
  rejected: number
  last_run: { trigger: string; finished_at: string | null; queued: number } | null
  targets: {
    url: string
    state: string
    reason: string | null
    attempts: number
    trigger: string
  }[]
}

export const warmStats = async (web: WebProcess): Promise<WarmStats> =>
  (await manage(web, 'GET', '/api/v1/cache/stats')).body['warm'] as WarmStats

/** Resolves with the statistics when nothing waits or runs any more. */
export const warmed = async (web: WebProcess): Promise<WarmStats> => {
  let stats = await warmStats(web)
  await eventually(
    'the warm queue is empty',
    async () => {
      stats = await warmStats(web)
      return stats.queue_size === 0 && stats.running === 0
    },
    30_000,
  )
  return stats
}
