import { createHash } from 'node:crypto'
import { chmodSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { phpHost, startPhpSite } from '#test/node/web-server/support/php-site.ts'
import { startWeb, type WebProcess } from '#test/node/web-server/support/web-process.ts'

export const HOSTS = ['a.test', 'b.test', 'c.test', 'd.test']
export const PAGES = 150
export const TAGS = 8

/** A page of the soak; `version` is what PHP shows now, `floor` what nobody may see anything older than. */
export interface SoakPage {
  host: string
  path: string
  tag: string
  version: number
  floor: number
}

export interface SoakSite {
  web: WebProcess
  pages: SoakPage[]
  /** Shows a new version of the pages from now on. */
  change(pages: readonly SoakPage[]): void
  /** Text of a host that comes and goes. */
  guestHost(domain: string): string
  stop(): Promise<void>
}

/** Every page says who it is, which version, and is filled up to a length that follows from both. */
const SCRIPT = `<?php
$host = $_SERVER['SERVER_NAME'];
$path = strtok($_SERVER['REQUEST_URI'], '?');
$version = (int) @file_get_contents(__DIR__ . '/../versions/' . sha1("$host$path"));
$number = (int) substr(strrchr($path, '-') ?: '-0', 1);
usleep(1000 * ($number % 20));
header('Content-Type: text/html; charset=utf-8');
header('X-Cache-Tag: tag-' . ($number % ${TAGS}));
header('ETag: "' . sha1("$host$path$version") . '"');
echo "<!doctype html>$host|$path|$version|", str_repeat(substr(sha1("$host$path$version"), 0, 8), 200 + $number * 20), '|end';
`

/** What the body of a page must be. */
export const expectedBody = (host: string, path: string, version: number): string => {
  const number = Number(/-(\d+)$/.exec(path)?.[1] ?? 0)
  const hash = createHash('sha1').update(`${host}${path}${version}`).digest('hex').slice(0, 8)
  return `<!doctype html>${host}|${path}|${version}|${hash.repeat(200 + number * 20)}|end`
}

/** Starts a web server with two workers, a real php-fpm and small layers, so that evictions take part. */
export const startSoakSite = async (): Promise<SoakSite> => {
  const directory = mkdtempSync(join(tmpdir(), 'berth-soak-'))
  const php = await startPhpSite(directory)
  const remove = async (): Promise<void> => {
    await php.stop()
    rmSync(directory, { recursive: true, force: true })
  }
  try {
    const versions = join(directory, 'site/versions')
    mkdirSync(versions)
    chmodSync(versions, 0o755)
    writeFileSync(join(php.root, 'index.php'), SCRIPT)
    const pages = HOSTS.flatMap((host) =>
      Array.from({ length: PAGES }, (_, number): SoakPage => ({
        host,
        path: `/page-${number}`,
        tag: `tag-${number % TAGS}`,
        version: 0,
        floor: 0,
      })),
    )
    const web = await startWeb({
      workers: 2,
      cache: 'memory_limit = "12M"\ndisk_limit = "16M"\ndefault_ttl = 60\ngrace_secs = 20\n',
      more: HOSTS.map((host) => phpHost(php, host)).join(''),
    })
    return {
      web,
      pages,
      change(changed) {
        for (const page of changed) {
          const name = createHash('sha1').update(`${page.host}${page.path}`).digest('hex')
          const file = join(versions, name)
          // PHP must never read half a number.
          writeFileSync(`${file}.new`, String(page.version + 1))
          renameSync(`${file}.new`, file)
          page.version++
        }
      },
      guestHost: (domain) => phpHost(php, domain),
      stop: async () => {
        await web.remove()
        await remove()
      },
    }
  } catch (error) {
    await remove()
    throw error
  }
}
