import type { ConvertContext } from '#handlers/domain/legacy/types.ts'
import { rulesProblem } from '#handlers/sites/htaccess/files/own-rules.ts'
import { rewriteProblem } from '#handlers/sites/htaccess/vhost-rewrites.ts'
import { parseApacheCommand, parseNginxTitle } from '#adapters/node/swap/parse-command.ts'
import { isGlob, matchesGlob } from '#cli/convert/glob.ts'
import { isChallengePath } from '#handlers/domain/legacy/apache/apache-challenges.ts'
import { moduleName } from '#handlers/domain/legacy/apache/apache-conditions.ts'
import { phpRouteOf } from '#handlers/domain/legacy/apache/apache-handlers.ts'
import {
  apacheLines,
  apacheWords,
  rewriteWords,
} from '#handlers/domain/legacy/apache/apache-lines.ts'
import { readEnvvars } from '#handlers/domain/legacy/apache/read-envvars.ts'
import { convertLegacy } from '#handlers/domain/legacy/convert-legacy.ts'
import { isForAuthorities } from '#handlers/domain/legacy/nginx/nginx-challenges.ts'
import { isBelow, type Location } from '#handlers/domain/legacy/nginx/nginx-locations.ts'
import { nginxTokens } from '#handlers/domain/legacy/nginx/nginx-tokens.ts'
import {
  envsIn,
  nginxTemplate,
  variableOf,
  variablesIn,
} from '#handlers/domain/legacy/nginx/values/nginx-variables.ts'
import { fateOfRequestHeader } from '#handlers/domain/legacy/fate-of-request-header.ts'
import { Report, shownText } from '#handlers/domain/legacy/report.ts'
import { apacheMember, nginxMember } from '#handlers/domain/legacy/proxy-members.ts'
import { escapePattern, globPattern } from '#handlers/domain/legacy/rule-lines.ts'
import { opened, parsersOf } from './parser-list.ts'

const context = (text: string): ConvertContext => ({
  files: {
    read: (path) => (path === '/a' ? { text } : { reason: 'does not exist.' }),
    exists: () => true,
    expand: () => [],
  },
  check: { rules: rulesProblem, rewrite: rewriteProblem },
  defaultDomain: 'a.test',
})

/** Reads and converts a text as the configuration of either server. */
const convert = (text: string): void => {
  for (const kind of ['apache', 'nginx'] as const)
    try {
      convertLegacy({ kind, paths: ['/a'], base: '/' }, context(text))
    } catch {
      // Refused in time.
    }
}

const locationOf = (text: string): Location => {
  const at = {
    ...{ name: 'location', spelled: 'location', args: [text], text, inside: [] },
    ...{ file: '/a', line: 1 },
  }
  const scope = { at, directives: [], parent: null }
  return { kind: 'prefix', text, noCase: false, scope, parent: null }
}

/** Configurations of other servers. */
export const legacyParsers = parsersOf('administrator', 32 * 1024, {
  'handlers/domain/legacy/apache/apache-lines.ts apacheLines': (text) => apacheLines('a', text),
  'handlers/domain/legacy/apache/apache-lines.ts apacheWords': opened(['"', "'"], apacheWords),
  'handlers/domain/legacy/apache/apache-lines.ts rewriteWords': opened(
    ['"', "'", '\\'],
    rewriteWords,
  ),
  'handlers/domain/legacy/apache/apache-challenges.ts isChallengePath': opened(
    ['/.well-known/', '\\', '^'],
    isChallengePath,
  ),
  'handlers/domain/legacy/nginx/values/nginx-variables.ts variableOf': opened(
    ['$', '${'],
    variableOf,
  ),
  'handlers/domain/legacy/apache/apache-conditions.ts moduleName': opened(['mod_'], moduleName),
  'handlers/domain/legacy/apache/apache-handlers.ts phpRouteOf': opened(
    ['proxy:unix:/', 'proxy:fcgi://'],
    phpRouteOf,
  ),
  'handlers/domain/legacy/apache/read-envvars.ts readEnvvars': opened(
    ['export A=', 'A="'],
    readEnvvars,
  ),
  'handlers/domain/legacy/nginx/nginx-tokens.ts nginxTokens': opened(['"', '${'], (text) =>
    nginxTokens('a', text),
  ),
  'handlers/domain/legacy/nginx/values/nginx-variables.ts nginxTemplate': opened(
    ['$', '${'],
    (text) => nginxTemplate(text, { serverName: 'a.test', own: new Set() }),
  ),
  'handlers/domain/legacy/nginx/values/nginx-variables.ts variablesIn': opened(
    ['$', '${'],
    variablesIn,
  ),
  'handlers/domain/legacy/nginx/values/nginx-variables.ts envsIn': opened(['ngx_'], envsIn),
  'handlers/domain/legacy/nginx/nginx-locations.ts isBelow': (text) => isBelow(text, '/a/'),
  'handlers/domain/legacy/nginx/nginx-challenges.ts isForAuthorities': opened(
    ['/.well-known/acme-challenge'],
    (text) => isForAuthorities(locationOf(text), '/srv/a', new Report()),
  ),
  'handlers/domain/legacy/proxy-members.ts nginxMember': opened(['weight='], (text) =>
    nginxMember([text, text]),
  ),
  'handlers/domain/legacy/proxy-members.ts apacheMember': opened(
    ['loadfactor=', 'status=', 'http:'],
    (text) => apacheMember([text, text]),
  ),
  'handlers/domain/legacy/fate-of-request-header.ts fateOfRequestHeader': opened(
    ['X-Forwarded-', '$', '%{'],
    (text) => [fateOfRequestHeader(text, text), fateOfRequestHeader('x-forwarded-proto', text)],
  ),
  'handlers/domain/legacy/rule-lines.ts escapePattern': escapePattern,
  'handlers/domain/legacy/rule-lines.ts globPattern': opened(['['], globPattern),
  'handlers/domain/legacy/report.ts shownText': shownText,
  'handlers/domain/legacy/convert-legacy.ts convertLegacy': opened(
    [
      'Include ',
      'server {',
      'location ~ ',
      '<VirtualHost *:80>\n',
      'ServerName ',
      'RewriteRule ',
      'if (',
    ],
    convert,
  ),
  'cli/convert/glob.ts matchesGlob': opened(['*a', '['], (text) => [
    matchesGlob(text, '*a*.conf'),
    matchesGlob('a'.repeat(255), text),
  ]),
  'cli/convert/glob.ts isGlob': isGlob,
  'adapters/node/swap/parse-command.ts parseApacheCommand': (text) =>
    parseApacheCommand(['apache2', '-D', text, '-f', text]),
  'adapters/node/swap/parse-command.ts parseNginxTitle': opened(
    ['nginx: master process '],
    parseNginxTitle,
  ),
})
