import { createHash } from 'node:crypto'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { phpHost, startPhpSite } from '#test/node/web-server/support/php-site.ts'
import {
  startWeb,
  type WebOptions,
  type WebProcess,
} from '#test/node/web-server/support/web-process.ts'

/**
 * A site as careless as sites are: unless a page of its own is set, it shows
 * everything a client sent. A file per page holds one character per run.
 */
const FRONT = `<?php
$path = rawurldecode(strtok($_SERVER['REQUEST_URI'], '?'));
$page = __DIR__ . '/../pages/' . sha1($path);
file_put_contents("$page.runs", 'x', FILE_APPEND | LOCK_EX);
header('Content-Type: text/html; charset=utf-8');
if (is_file("$page.php")) { include "$page.php"; exit; }
$shown = array_filter($_SERVER, fn($name) => str_starts_with($name, 'HTTP_') || in_array($name,
  ['SERVER_NAME', 'REQUEST_URI', 'REQUEST_METHOD', 'REMOTE_ADDR', 'QUERY_STRING', 'HTTPS', 'SERVER_PORT']), ARRAY_FILTER_USE_KEY);
echo json_encode(['path' => $path, 'method' => $_SERVER['REQUEST_METHOD'], 'server' => $shown,
  'cookies' => $_COOKIE, 'get' => $_GET], JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE);
`

export interface CacheSite {
  web: WebProcess
  /** Document root of `p.test` (alias `www.p.test`), `q.test`, and `n.test`, which is filled neutrally. */
  root: string
  /** What `path` (decoded) runs from now on; PHP without the opening tag. */
  page(path: string, php: string): void
  /** How often PHP ran for a path. */
  runs(path: string): number
  stop(): Promise<void>
}

/** A web server with two workers and the page cache before a real php-fpm; three virtual hosts share the site. */
export const startCacheSite = async (
  options: WebOptions & { host?: string; rules?: boolean } = {},
): Promise<CacheSite> => {
  const directory = mkdtempSync(join(tmpdir(), 'berth-cachesite-'))
  const pages = join(directory, 'site/pages')
  const nameOf = (path: string): string =>
    join(pages, createHash('sha1').update(path).digest('hex'))
  const php = await startPhpSite(directory)
  try {
    mkdirSync(pages, { mode: 0o777 })
    // The umask may have narrowed it; PHP runs as another user.
    chmodSync(pages, 0o777)
    writeFileSync(join(php.root, 'index.php'), FRONT)
    const { host = '', more = '', rules = false, ...rest } = options
    const named = `aliases = ["www.p.test"]\nhtaccess = ${rules}\n`
    const web = await startWeb({
      workers: 2,
      ...rest,
      more:
        phpHost(php, 'p.test', named) +
        host +
        phpHost(php, 'q.test') +
        `${phpHost(php, 'n.test')}\n[virtualhost.cache]\nfills = "neutral"\n` +
        more,
    })
    return {
      web,
      root: php.root,
      page: (path, code) => writeFileSync(`${nameOf(path)}.php`, `<?php ${code}`),
      runs: (path) => {
        try {
          return readFileSync(`${nameOf(path)}.runs`, 'utf8').length
        } catch {
          return 0
        }
      },
      stop: async () => {
        await web.remove()
        await php.stop()
        rmSync(directory, { recursive: true, force: true })
      },
    }
  } catch (error) {
    await php.stop()
    rmSync(directory, { recursive: true, force: true })
    throw error
  }
}
