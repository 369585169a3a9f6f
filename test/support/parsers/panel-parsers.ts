import { fromBase64Url } from '#handlers/domain/text/base64-url.ts'
import { toolResponse } from '#adapters/node/panel/database-tool/tool-response.ts'
import { reversedName } from '#adapters/shared/store/rows.ts'
import { resolveWarmUrl } from '#edge-cache/index.ts'
import { isApiToken } from '#handlers/domain/access/api-token.ts'
import { prefixedDatabaseName } from '#handlers/domain/databases/database-name.ts'
import { exportOf, isExportName } from '#handlers/domain/databases/export-name.ts'
import { parseDocumentRoot } from '#handlers/domain/domains/document-root.ts'
import { parentDomains, parseDomainName } from '#handlers/domain/domains/domain-name.ts'
import { parseSiteName } from '#handlers/domain/domains/site-name.ts'
import { parseFileMode } from '#handlers/domain/files/file-mode.ts'
import { parseHomePath, parsePathBelowHome } from '#handlers/domain/files/home-path.ts'
import { directoryIniProblem } from '#handlers/domain/php/directory-ini.ts'
import { phpHomeFileProblem, phpIniProblem } from '#handlers/domain/php/ini-rules.ts'
import { parsePlanName } from '#handlers/domain/accounts/plan.ts'
import { parseProxyUpstream } from '#handlers/domain/upstreams/proxy-upstream.ts'
import { normalRecoveryCode } from '#handlers/domain/access/recovery-code.ts'
import { totpStep } from '#handlers/domain/access/totp.ts'
import { parseUsername } from '#handlers/domain/accounts/username.ts'
import { parseAcmeDns } from '#handlers/domain/certificates/dns-access.ts'
import { parseWebroot } from '#handlers/domain/domains/webroot.ts'
import { readPurgePath, readPurgeTag } from '#handlers/management/purge-values.ts'
import { isMoment } from '#handlers/panel/frame/fields.ts'
import { boundaryOf, multipartFile } from '#handlers/panel/frame/multipart.ts'
import { readCeremony } from '#handlers/panel/access/ceremony.ts'
import { readToken } from '#handlers/panel/access/token.ts'
import { parseCertifiedName } from '#handlers/services/certificates/certified-site.ts'
import { fieldsOf, opened, parsersOf, piecesOf } from './parser-list.ts'

/** What the panel reads the fields of a request with. */
export const panelParsers = parsersOf('tenant', 64 * 1024, {
  'handlers/domain/text/base64-url.ts fromBase64Url': (text) => {
    try {
      fromBase64Url(text)
    } catch {
      // Most texts are none.
    }
  },
  'adapters/shared/store/rows.ts reversedName': reversedName,
  'handlers/domain/access/api-token.ts isApiToken': opened(['berth_'], isApiToken),
  'handlers/domain/domains/document-root.ts parseDocumentRoot': opened(['/home/a/'], (text) =>
    parseDocumentRoot(text, '/home/a'),
  ),
  'handlers/domain/domains/domain-name.ts parseDomainName': (text) => parseDomainName(text),
  'handlers/domain/domains/site-name.ts parseSiteName': (text) => parseSiteName(`*.${text}`),
  'handlers/domain/domains/domain-name.ts parentDomains': (text) =>
    parentDomains(text.slice(0, 253)),
  'handlers/domain/files/file-mode.ts parseFileMode': parseFileMode,
  'handlers/domain/files/home-path.ts parseHomePath': opened(['/'], (text) => parseHomePath(text)),
  'handlers/domain/files/home-path.ts parsePathBelowHome': opened(['/'], (text) =>
    parsePathBelowHome(text),
  ),
  'handlers/domain/databases/database-name.ts prefixedDatabaseName': (text) =>
    prefixedDatabaseName('a', text, 'name'),
  'adapters/node/panel/database-tool/tool-response.ts toolResponse': (text) =>
    toolResponse(
      { cookies: new Map() } as never,
      '/s/a/',
      new Response('', { headers: fieldsOf(['location', 'set-cookie'], text) }),
    ),
  'handlers/domain/databases/export-name.ts isExportName': opened(['mariadb-'], isExportName),
  'handlers/domain/databases/export-name.ts exportOf': opened(['mariadb-'], exportOf),
  'handlers/domain/php/directory-ini.ts directoryIniProblem': opened(['/home/a/'], (text) => [
    directoryIniProblem('auto_prepend_file', text, '/home/a'),
    directoryIniProblem(text, 'on', '/home/a'),
  ]),
  'handlers/domain/php/ini-rules.ts phpIniProblem': (text) => [
    phpIniProblem('date.timezone', text),
    phpIniProblem(text, '1'),
  ],
  'handlers/domain/php/ini-rules.ts phpHomeFileProblem': opened(['/home/a/'], (text) =>
    phpHomeFileProblem('auto_prepend_file', text, '/home/a'),
  ),
  'handlers/domain/accounts/plan.ts parsePlanName': parsePlanName,
  'handlers/domain/upstreams/proxy-upstream.ts parseProxyUpstream': opened(
    ['http://', 'http://a:', 'unix:/'],
    parseProxyUpstream,
  ),
  'handlers/domain/access/recovery-code.ts normalRecoveryCode': normalRecoveryCode,
  'handlers/domain/access/totp.ts totpStep': (text) => totpStep('JBSWY3DPEHPK3PXP', text, 0),
  'handlers/domain/accounts/username.ts parseUsername': parseUsername,
  'handlers/domain/certificates/dns-access.ts parseAcmeDns': opened(['https://'], parseAcmeDns),
  'handlers/domain/domains/webroot.ts parseWebroot': opened(['/home/a/'], (text) =>
    parseWebroot(text, '/home/a'),
  ),
  'handlers/management/purge-values.ts readPurgePath': opened(['/'], (text) => readPurgePath(text)),
  'handlers/management/purge-values.ts readPurgeTag': (text) => readPurgeTag(text),
  'handlers/panel/frame/fields.ts isMoment': opened(['2026-11-24 '], isMoment),
  'handlers/panel/frame/multipart.ts boundaryOf': opened(
    ['multipart/form-data; boundary=', 'multipart/form-data; boundary="', 'multipart/form-data;'],
    boundaryOf,
  ),
  'handlers/panel/access/ceremony.ts readCeremony': opened(['a.b.'], (text) =>
    readCeremony(text, 'login', 0, 'secret'),
  ),
  'handlers/panel/access/token.ts readToken': opened(['a.b.'], (text) =>
    readToken(text, 'secret', 0),
  ),
  'handlers/services/certificates/certified-site.ts parseCertifiedName': parseCertifiedName,
  'edge-cache/warm/resolve-target.ts resolveWarmUrl': opened(['/', 'http://a.test/'], (text) =>
    resolveWarmUrl(text, null, {
      find: () => null,
      all: () => [],
      normalizePath: (path) => path,
      isOwnPort: () => true,
    }),
  ),
  'handlers/panel/frame/multipart.ts multipartFile': opened(
    ['--b\r\nContent-Disposition: form-data; name="a"; filename="', '--b\r\n\r\n'],
    async (text) => {
      for await (const part of multipartFile(piecesOf(text), 'b')) void part
    },
  ),
})
