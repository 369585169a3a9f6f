import { canonicalBlock } from '#handlers/domain/site-settings/address-block.ts'
import { headerNameProblem } from '#handlers/domain/site-settings/header-rules.ts'
import {
  errorPageOf,
  folderOf,
  headerOf,
  rateLimitOf,
  redirectOf,
} from '#handlers/domain/site-settings/setting-lines.ts'
import { serverOf } from '#handlers/domain/site-settings/backends/server-line.ts'
import { siteFolderProblem } from '#handlers/domain/site-settings/folders/folder-schema.ts'
import { internetTargetProblem } from '#handlers/domain/upstreams/internet-target.ts'
import { redirectTargetProblem } from '#handlers/domain/site-settings/redirect-rules.ts'
import { phpSizeBytes, sitePhpProblem } from '#handlers/domain/php/site-php-rules.ts'
import { parseUserIni } from '#handlers/domain/php/user-ini.ts'
import { readTestAddress, testHeaderProblem } from '#handlers/domain/site-test/test-rules.ts'
import { guardedPath } from '#handlers/sites/guard/site-guard.ts'
import { opened, parsersOf } from './parser-list.ts'

/** What owners write into the settings of their sites, and what visitors ask of these. */
export const siteParsers = parsersOf('tenant', 64 * 1024, {
  'handlers/domain/site-settings/address-block.ts canonicalBlock': opened(
    ['10.0.0.0/', '::'],
    canonicalBlock,
  ),
  'handlers/domain/site-settings/header-rules.ts headerNameProblem': opened(
    ['x-', 'proxy-'],
    headerNameProblem,
  ),
  'handlers/domain/php/site-php-rules.ts sitePhpProblem': opened(['Europe/', '1'], (text) =>
    ['date.timezone', 'memory_limit', 'max_input_vars'].map((name) => sitePhpProblem(name, text)),
  ),
  'handlers/domain/php/site-php-rules.ts phpSizeBytes': opened(['1'], phpSizeBytes),
  'handlers/domain/php/user-ini.ts parseUserIni': opened(['memory_limit = "', 'a='], parseUserIni),
  'handlers/domain/site-settings/setting-lines.ts redirectOf': opened(['301 /old '], redirectOf),
  'handlers/domain/site-settings/setting-lines.ts rateLimitOf': opened(['/a 5/60 '], rateLimitOf),
  'handlers/domain/site-settings/setting-lines.ts headerOf': opened(['X-A: '], headerOf),
  'handlers/domain/site-settings/setting-lines.ts folderOf': opened(['/a ', '/a b'], folderOf),
  'handlers/domain/site-settings/backends/server-line.ts serverOf': opened(
    ['https://a '],
    serverOf,
  ),
  'handlers/domain/site-settings/folders/folder-schema.ts siteFolderProblem': opened(
    ['a/'],
    siteFolderProblem,
  ),
  'handlers/domain/upstreams/internet-target.ts internetTargetProblem': opened(
    ['http://', 'http://a.', 'https://[::'],
    internetTargetProblem,
  ),
  'handlers/domain/site-settings/setting-lines.ts errorPageOf': opened(['404 /'], errorPageOf),
  'handlers/domain/site-settings/redirect-rules.ts redirectTargetProblem': opened(
    ['/', 'https://a.example/'],
    redirectTargetProblem,
  ),
  'handlers/domain/site-test/test-rules.ts readTestAddress': opened(
    ['https://', 'https://a.example/'],
    readTestAddress,
  ),
  'handlers/domain/site-test/test-rules.ts testHeaderProblem': (text) => [
    testHeaderProblem(text, 'a'),
    testHeaderProblem('x-a', text),
  ],
  'handlers/sites/guard/site-guard.ts guardedPath': opened(['/a%2F', '/../'], (text) =>
    guardedPath({ path: text, file: null, query: null }),
  ),
})
