import { isScriptSource } from '#handlers/domain/files/script-source.ts'
import {
  deviceClass,
  firstWord,
  isExcluded,
  pageId,
  parseHttpDate,
  preferredCoding,
  readRanges,
  splitTrimmed,
  trimEndOf,
  trimOf,
} from '#edge-cache/index.ts'
import type { SiteContext } from '#handlers/sites/site-context.ts'
import { isNotModified } from '#edge-cache/entry/response.ts'
import { parseCacheControl, seconds } from '#edge-cache/fields/cache-control.ts'
import { chosenValues, ownReferer } from '#edge-cache/fills/chosen-values.ts'
import { isSessionCookie } from '#edge-cache/cookies/bypass-cookies.ts'
import { someCookie } from '#edge-cache/cookies/cookie-pairs.ts'
import { isSessionLikeValue } from '#edge-cache/cookies/session-like-value.ts'
import { parseAcceptEncoding } from '#edge-cache/codings/encoding.ts'
import { endToEndHeaders } from '#edge-cache/entry/headers.ts'
import { parseDirectives, requestDirectives } from '#edge-cache/http-mode/directives.ts'
import { selection } from '#edge-cache/http-mode/vary.ts'
import { hasIgnorableQuery, withoutQuery } from '#edge-cache/address/ignorable-query.ts'
import { chosenTexts } from '#edge-cache/fills/reflection.ts'
import { clientClass } from '#edge-cache/sampling/client-class.ts'
import { clientAddress } from '#handlers/domain/text/client-address.ts'
import { deviceName } from '#handlers/domain/access/device-name.ts'
import { hasControlCharacters } from '#handlers/domain/text/control-characters.ts'
import { endsInNumber } from '#handlers/domain/text/ends-in-number.ts'
import { withoutPanelCookie } from '#handlers/domain/access/panel-cookie.ts'
import { isSessionCookie as isProfileCookie } from '#handlers/domain/profiles/is-session-cookie.ts'
import { wordpress } from '#handlers/domain/profiles/wordpress.ts'
import { carriesToken, requireOwnHost } from '#handlers/management/access.ts'
import { serveChallenge } from '#handlers/sites/acme-challenge.ts'
import { contentTypeOf } from '#handlers/sites/responses/content-type.ts'
import { basicCredentials } from '#handlers/sites/htaccess/access/authenticate.ts'
import { directoriesOf } from '#handlers/sites/htaccess/files/directories-of.ts'
import { isHiddenPath, isTooDeep, scriptCandidates } from '#handlers/sites/paths/path-rules.ts'
import { parseHost } from '#handlers/sites/names/request-host.ts'
import {
  encodePath,
  normalizePathText,
  normalizeTarget,
} from '#handlers/sites/paths/request-path.ts'
import { escapeAddress, escapeFound } from '#handlers/sites/rewrite/escape-location.ts'
import {
  matchesAddress,
  readAddress,
  readBlock,
} from '#handlers/sites/rewrite/pattern/match-address.ts'
import { shownHost, shownPort } from '#handlers/sites/names/shown-host.ts'
import { fieldsOf, opened, parsersOf } from './parser-list.ts'

const CONTEXT: SiteContext = {
  clientAddress: '127.0.0.1',
  clientPort: 1,
  serverAddress: '127.0.0.1',
  serverPort: 80,
  secure: false,
  protocol: 'HTTP/1.1',
  rawTarget: '/',
}
/** `max_header_size` as it is unless somebody says otherwise. */
const HEAD_BYTES = 16 * 1024
/** Longer paths find no rules. */
const MAX_PATH_LENGTH = 1024

/** What the page cache looks at in a request. */
export const cacheVisitorParsers = parsersOf('visitor', HEAD_BYTES, {
  'edge-cache/entry/response.ts isNotModified': opened(['"a", ', 'W/'], (text) =>
    isNotModified(
      { etag: '"b"', lastModified: null },
      fieldsOf(['if-none-match', 'if-modified-since'], text),
    ),
  ),
  'edge-cache/fields/byte-ranges.ts readRanges': opened(['bytes=', 'bytes=0-'], (text) =>
    readRanges(text, 1000),
  ),
  'edge-cache/fields/cache-control.ts parseCacheControl': opened(
    ['a="', 'max-age='],
    parseCacheControl,
  ),
  'edge-cache/fields/cache-control.ts seconds': seconds,
  'edge-cache/fills/chosen-values.ts chosenValues': opened(['http://'], (text) =>
    chosenValues(fieldsOf(['referer', 'cookie', 'x-forwarded-for', 'x'], text), 'a.test'),
  ),
  'edge-cache/fills/chosen-values.ts ownReferer': opened(['http://', 'http://a.test/'], (text) =>
    ownReferer(text, 'a.test'),
  ),
  'edge-cache/cookies/bypass-cookies.ts isSessionCookie': isSessionCookie,
  'handlers/domain/profiles/is-session-cookie.ts isSessionCookie': (text) =>
    isProfileCookie(wordpress, text),
  'edge-cache/cookies/cookie-pairs.ts someCookie': (text) => someCookie(text, () => false),
  'edge-cache/cookies/session-like-value.ts isSessionLikeValue': isSessionLikeValue,
  'edge-cache/address/device-class.ts deviceClass': opened(
    ['Mozilla/5.0 (', 'Android'],
    deviceClass,
  ),
  'edge-cache/codings/encoding.ts parseAcceptEncoding': opened(
    ['gzip;q=', '*;q='],
    parseAcceptEncoding,
  ),
  'edge-cache/codings/encoding-choice.ts preferredCoding': preferredCoding,
  'edge-cache/fields/field-text.ts trimEndOf': (text) => trimEndOf(text, ' \t'),
  'edge-cache/fields/field-text.ts trimOf': (text) => trimOf(text),
  'edge-cache/fields/field-text.ts splitTrimmed': (text) => splitTrimmed(text, ','),
  'edge-cache/fields/field-text.ts firstWord': firstWord,
  'edge-cache/entry/headers.ts endToEndHeaders': (text) =>
    endToEndHeaders(fieldsOf(['connection', 'x'], text)),
  'edge-cache/fields/http-date.ts parseHttpDate': opened(['Mon, 01 '], (text) =>
    parseHttpDate(text, 0),
  ),
  'edge-cache/http-mode/directives.ts parseDirectives': opened(
    ['a="', 'max-age='],
    parseDirectives,
  ),
  'edge-cache/http-mode/directives.ts requestDirectives': opened(['a="'], (text) =>
    requestDirectives(fieldsOf(['cache-control', 'pragma'], text)),
  ),
  'edge-cache/http-mode/vary.ts selection': (text) =>
    selection(
      ['accept', 'accept-encoding', 'x'],
      fieldsOf(['accept', 'accept-encoding', 'x'], text),
    ),
  'edge-cache/address/ignorable-query.ts hasIgnorableQuery': opened(['/?'], (text) =>
    hasIgnorableQuery(text, ['utm_*', 'a']),
  ),
  'edge-cache/address/ignorable-query.ts withoutQuery': opened(['/?'], withoutQuery),
  'edge-cache/address/key.ts pageId': pageId,
  'edge-cache/policy/policy.ts isExcluded': opened(['/', '/%'], (text) =>
    isExcluded(text, ['/a/*', '/b%20']),
  ),
  'edge-cache/fills/reflection.ts chosenTexts': opened(['http://'], (text) =>
    chosenTexts(fieldsOf(['referer', 'cookie', 'x-forwarded-for', 'user-agent', 'x'], text), {
      host: 'a.test',
    }),
  ),
  'edge-cache/sampling/client-class.ts clientClass': opened(['de-'], (text) =>
    clientClass(fieldsOf(['accept-language', 'user-agent'], text)),
  ),
})

/** What sites look at in a request. */
export const siteVisitorParsers = parsersOf('visitor', HEAD_BYTES, {
  'handlers/domain/access/device-name.ts deviceName': opened(['Mozilla/5.0 ('], deviceName),
  'handlers/domain/text/client-address.ts clientAddress': opened(['127.0.0.1,'], (text) =>
    clientAddress('127.0.0.1', text, ['127.0.0.0/8']),
  ),
  'handlers/domain/text/control-characters.ts hasControlCharacters': hasControlCharacters,
  'handlers/domain/text/ends-in-number.ts endsInNumber': endsInNumber,
  'handlers/domain/access/panel-cookie.ts withoutPanelCookie': opened(
    ['panel_token=', 'a=b; panel_token='],
    withoutPanelCookie,
  ),
  'handlers/management/access.ts carriesToken': opened(['Bearer '], (text) =>
    carriesToken(
      new Request('http://a.test/', { headers: fieldsOf(['authorization'], text) }),
      'token',
    ),
  ),
  'handlers/management/access.ts requireOwnHost': opened(['a:', '['], (text) =>
    requireOwnHost(new Request('http://a.test/', { headers: fieldsOf(['host'], text) }), [
      'localhost',
    ]),
  ),
  'handlers/sites/acme-challenge.ts serveChallenge': opened(
    ['/.well-known/acme-challenge/'],
    (text) => serveChallenge('GET', text, () => null),
  ),
  'handlers/sites/responses/content-type.ts contentTypeOf': opened(['a.'], contentTypeOf),
  'handlers/sites/htaccess/access/authenticate.ts basicCredentials': opened(
    ['Basic ', 'Basic YTpi'],
    (text) => basicCredentials(fieldsOf(['authorization'], text)),
  ),
  'handlers/sites/htaccess/files/directories-of.ts directoriesOf': opened(['/'], (text) =>
    directoriesOf(text.slice(0, MAX_PATH_LENGTH)),
  ),
  'handlers/sites/paths/path-rules.ts isHiddenPath': opened(['/'], isHiddenPath),
  'handlers/sites/paths/path-rules.ts isTooDeep': opened(['/'], isTooDeep),
  'handlers/domain/files/script-source.ts isScriptSource': opened(['/a.php'], isScriptSource),
  'handlers/sites/paths/path-rules.ts scriptCandidates': opened(['/'], scriptCandidates),
  'handlers/sites/names/request-host.ts parseHost': opened(['[', 'a:'], parseHost),
  'handlers/sites/paths/request-path.ts normalizeTarget': opened(
    ['/', '/?', '/a/..'],
    normalizeTarget,
  ),
  'handlers/sites/paths/request-path.ts normalizePathText': opened(['/'], normalizePathText),
  'handlers/sites/paths/request-path.ts encodePath': opened(['/'], encodePath),
  'handlers/sites/rewrite/escape-location.ts escapeAddress': opened(
    ['/', 'http://a.test/'],
    escapeAddress,
  ),
  'handlers/sites/rewrite/escape-location.ts escapeFound': (text) =>
    escapeFound(text, '%&=?', true),
  'handlers/sites/names/shown-host.ts shownPort': opened(['a.test:'], (text) =>
    shownPort(fieldsOf(['host'], text), CONTEXT),
  ),
  'handlers/sites/names/shown-host.ts shownHost': opened(['a.test:'], (text) =>
    shownHost(fieldsOf(['host'], text), CONTEXT, 'a.test'),
  ),
  'handlers/sites/rewrite/pattern/match-address.ts readAddress': opened(
    ['::', '1.2.'],
    readAddress,
  ),
  'handlers/sites/rewrite/pattern/match-address.ts readBlock': opened(
    ['::', '1.2.3.4/'],
    readBlock,
  ),
  'handlers/sites/rewrite/pattern/match-address.ts matchesAddress': opened(
    ['::', '1.2.3.4/'],
    (text) => matchesAddress('127.0.0.1', text, { left: Infinity }),
  ),
})
