import { reversedName } from '#adapters/shared/store/rows.ts'
import { resolveWarmUrl } from '#edge-cache/warm/resolve-target.ts'
import { isApiToken } from '#handlers/domain/api-token.ts'
import { prefixedDatabaseName } from '#handlers/domain/database-name.ts'
import { parseDocumentRoot } from '#handlers/domain/document-root.ts'
import { parentDomains, parseDomainName } from '#handlers/domain/domain-name.ts'
import { parseFileMode } from '#handlers/domain/file-mode.ts'
import { parseHomePath, parsePathBelowHome } from '#handlers/domain/home-path.ts'
import { directoryIniProblem } from '#handlers/domain/php-directory-ini.ts'
import { phpHomeFileProblem, phpIniProblem } from '#handlers/domain/php-ini-rules.ts'
import { parsePlanName } from '#handlers/domain/plan.ts'
import { parseProxyUpstream } from '#handlers/domain/proxy-upstream.ts'
import { normalRecoveryCode } from '#handlers/domain/recovery-code.ts'
import { totpStep } from '#handlers/domain/totp.ts'
import { parseUsername } from '#handlers/domain/username.ts'
import { parseWebroot } from '#handlers/domain/webroot.ts'
import { readPurgePath, readPurgeTag } from '#handlers/management/purge-values.ts'
import { boundaryOf, multipartFile } from '#handlers/panel/multipart.ts'
import { readToken } from '#handlers/panel/token.ts'
import { parseCertifiedName } from '#handlers/services/certified-site.ts'
import { opened, parsersOf, piecesOf } from './parser-list.ts'

/** What the panel reads the fields of a request with. */
export const panelParsers = parsersOf('tenant', 64 * 1024, {
  'adapters/shared/store/rows.ts reversedName': reversedName,
  'handlers/domain/api-token.ts isApiToken': opened(['berth_'], isApiToken),
  'handlers/domain/document-root.ts parseDocumentRoot': opened(['/home/a/'], (text) =>
    parseDocumentRoot(text, '/home/a'),
  ),
  'handlers/domain/domain-name.ts parseDomainName': (text) => parseDomainName(text),
  'handlers/domain/domain-name.ts parentDomains': (text) => parentDomains(text.slice(0, 253)),
  'handlers/domain/file-mode.ts parseFileMode': parseFileMode,
  'handlers/domain/home-path.ts parseHomePath': opened(['/'], (text) => parseHomePath(text)),
  'handlers/domain/home-path.ts parsePathBelowHome': opened(['/'], (text) =>
    parsePathBelowHome(text),
  ),
  'handlers/domain/database-name.ts prefixedDatabaseName': (text) =>
    prefixedDatabaseName('a', text, 'name'),
  'handlers/domain/php-directory-ini.ts directoryIniProblem': opened(['/home/a/'], (text) => [
    directoryIniProblem('auto_prepend_file', text, '/home/a'),
    directoryIniProblem(text, 'on', '/home/a'),
  ]),
  'handlers/domain/php-ini-rules.ts phpIniProblem': (text) => [
    phpIniProblem('date.timezone', text),
    phpIniProblem(text, '1'),
  ],
  'handlers/domain/php-ini-rules.ts phpHomeFileProblem': opened(['/home/a/'], (text) =>
    phpHomeFileProblem('auto_prepend_file', text, '/home/a'),
  ),
  'handlers/domain/plan.ts parsePlanName': parsePlanName,
  'handlers/domain/proxy-upstream.ts parseProxyUpstream': opened(
    ['http://', 'http://a:', 'unix:/'],
    parseProxyUpstream,
  ),
  'handlers/domain/recovery-code.ts normalRecoveryCode': normalRecoveryCode,
  'handlers/domain/totp.ts totpStep': (text) => totpStep('JBSWY3DPEHPK3PXP', text, 0),
  'handlers/domain/username.ts parseUsername': parseUsername,
  'handlers/domain/webroot.ts parseWebroot': opened(['/home/a/'], (text) =>
    parseWebroot(text, '/home/a'),
  ),
  'handlers/management/purge-values.ts readPurgePath': opened(['/'], (text) => readPurgePath(text)),
  'handlers/management/purge-values.ts readPurgeTag': (text) => readPurgeTag(text),
  'handlers/panel/multipart.ts boundaryOf': opened(
    ['multipart/form-data; boundary=', 'multipart/form-data; boundary="', 'multipart/form-data;'],
    boundaryOf,
  ),
  'handlers/panel/token.ts readToken': opened(['a.b.'], (text) => readToken(text, 'secret', 0)),
  'handlers/services/certified-site.ts parseCertifiedName': parseCertifiedName,
  'edge-cache/warm/resolve-target.ts resolveWarmUrl': opened(['/', 'http://a.test/'], (text) =>
    resolveWarmUrl(text, null, {
      find: () => null,
      all: () => [],
      normalizePath: (path) => path,
      isOwnPort: () => true,
    }),
  ),
  'handlers/panel/multipart.ts multipartFile': opened(
    ['--b\r\nContent-Disposition: form-data; name="a"; filename="', '--b\r\n\r\n'],
    async (text) => {
      for await (const part of multipartFile(piecesOf(text), 'b')) void part
    },
  ),
})
