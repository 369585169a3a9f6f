import { CgiHeadReader } from '#adapters/node/php-backends/wire/cgi-head.ts'
import { RecordDecoder } from '#adapters/node/php-backends/fastcgi/record-decoder.ts'
import { PacketDecoder } from '#adapters/node/php-backends/lsapi/packet-decoder.ts'
import { bypassOf } from '#edge-cache/policy/cache-status.ts'
import {
  isTextType,
  nameOfCookie,
  readOnly,
  readPurgeOrder,
  splitCookies,
  taughtNames,
  withAcceptEncoding,
} from '#edge-cache/index.ts'
import { ageValueSecs } from '#edge-cache/http-mode/age.ts'
import { varyNames } from '#edge-cache/http-mode/vary.ts'
import { litespeedControl } from '#edge-cache/litespeed/litespeed-control.ts'
import { TAG_HEADERS, responseTags } from '#edge-cache/purge/tags.ts'
import { parseLinks } from '#edge-cache/warm/parse-links.ts'
import {
  decodeReferences,
  parseRobotsSitemaps,
  parseSitemap,
} from '#edge-cache/warm/parse-sitemap.ts'
import { applyExpiry } from '#handlers/sites/htaccess/apply-content.ts'
import { emptySettings } from '#handlers/sites/htaccess/files/settings.ts'
import { magentoTags } from '#handlers/sites/page-cache/magento-tags.ts'
import { bytesOf, fieldsOf, ignore, opened, parsersOf } from './parser-list.ts'

/** What scripts and applications write: lines of a head. */
export const scriptParsers = parsersOf('script', 16 * 1024, {
  'adapters/node/php-backends/wire/cgi-head.ts CgiHeadReader': opened(
    ['Content-Type: text/html\r\nX: ', 'Status: ', 'Link: '],
    (text) => new CgiHeadReader().push(bytesOf(`${text}\r\n\r\n`)),
  ),
  'adapters/node/php-backends/fastcgi/record-decoder.ts RecordDecoder': opened(
    ['\x01\x06\x00\x01'],
    (text) =>
      new RecordDecoder({ stdout: ignore, stderr: ignore, end: ignore }).push(bytesOf(text)),
  ),
  'adapters/node/php-backends/lsapi/packet-decoder.ts PacketDecoder': opened(['LS'], (text) =>
    new PacketDecoder({
      head: ignore,
      body: ignore,
      stderr: ignore,
      end: ignore,
      closed: ignore,
      failed: ignore,
    }).push(bytesOf(text)),
  ),
  'edge-cache/cookies/taught-names.ts taughtNames': opened(
    ['a=b; Max-Age=', 'a=b; Expires='],
    (text) => taughtNames([text], { harmless_cookies: [], session_cookies: [] }, 0),
  ),
  'edge-cache/codings/encoding-choice.ts withAcceptEncoding': withAcceptEncoding,
  'edge-cache/codings/encoding-worth.ts isTextType': opened(
    ['text/html;', 'application/'],
    isTextType,
  ),
  'edge-cache/http-mode/age.ts ageValueSecs': (text) => ageValueSecs(fieldsOf(['age'], text)),
  'edge-cache/http-mode/vary.ts varyNames': (text) => varyNames(fieldsOf(['vary'], text)),
  'edge-cache/litespeed/litespeed-control.ts litespeedControl': opened(
    ['public,max-age='],
    (text) => litespeedControl(fieldsOf(['x-litespeed-cache-control'], text)),
  ),
  'edge-cache/litespeed/litespeed-fields.ts splitCookies': opened(['a=b, '], splitCookies),
  'edge-cache/litespeed/litespeed-fields.ts nameOfCookie': nameOfCookie,
  'edge-cache/litespeed/litespeed-fields.ts readOnly': opened([' ', 'only', 'only,'], readOnly),
  'edge-cache/litespeed/purge-order.ts readPurgeOrder': opened(
    ['tag=', 'public, '],
    readPurgeOrder,
  ),
  'edge-cache/purge/tags.ts responseTags': (text) => responseTags(fieldsOf(TAG_HEADERS, text)),
  'handlers/sites/htaccess/apply-content.ts applyExpiry': (text) =>
    applyExpiry({ ...emptySettings(), expiresActive: true }, fieldsOf(['content-type'], text), 0),
  'handlers/sites/page-cache/magento-tags.ts magentoTags': opened(
    ['((^|,)cat_p_1(,|$))|'],
    magentoTags,
  ),
  'edge-cache/policy/cache-status.ts bypassOf': opened(['berth; fwd=bypass; detail='], bypassOf),
})

/** Pages and site maps that warming looks for addresses in. */
export const documentParsers = parsersOf('upstream', 4 * 2 ** 20, {
  'edge-cache/warm/parse-links.ts parseLinks': opened(
    ['<a href="', '<a ', '<!--', '<script>', '<base '],
    (text) => parseLinks(text, 'http://a.test/', 1000),
  ),
  'edge-cache/warm/parse-sitemap.ts decodeReferences': decodeReferences,
  'edge-cache/warm/parse-sitemap.ts parseSitemap': opened(
    ['<loc>', '<loc ', '<sitemapindex>', '<!--'],
    (text) => parseSitemap(text, 1000),
  ),
  'edge-cache/warm/parse-sitemap.ts parseRobotsSitemaps': opened(['Sitemap:', 'sitemap '], (text) =>
    parseRobotsSitemaps(text, 1000),
  ),
})
