import { readSectionHead } from '#handlers/domain/text/section-head.ts'
import { hashText } from '#handlers/sites/htaccess/access/hash-text.ts'
import { hasVersion } from '#handlers/sites/htaccess/directives/modules.ts'
import { parseLines, rawWordsOf, wordsOf } from '#handlers/sites/htaccess/files/parse-lines.ts'
import { parseRules } from '#handlers/sites/htaccess/files/parse-rules.ts'
import { readCondition } from '#handlers/sites/htaccess/vhost-rewrites.ts'
import { noCacheWords, readCacheFlag } from '#handlers/sites/rewrite/cache-flags.ts'
import { parseExpressionText } from '#handlers/sites/rewrite/expression-words.ts'
import { parseTokens } from '#handlers/sites/rewrite/expression-tokens.ts'
import { parseExpression } from '#handlers/sites/rewrite/expression.ts'
import { parsePattern } from '#handlers/sites/rewrite/pattern/parse-pattern.ts'
import { parseRewriteCondition, parseRewriteRule } from '#handlers/sites/rewrite/parse-rewrite.ts'
import { matchesWildcard } from '#handlers/sites/rewrite/pattern/match-wildcard.ts'
import { parseSet } from '#handlers/sites/rewrite/pattern/pattern-set.ts'
import { rewriteCookie } from '#handlers/sites/rewrite/rewrite-cookie.ts'
import { hasFlag, parseRewriteFlags } from '#handlers/sites/rewrite/rewrite-flags.ts'
import { parseTemplate } from '#handlers/sites/rewrite/template.ts'
import { dependencyOf } from '#handlers/sites/rewrite/variables.ts'
import { opened, parsersOf } from './parser-list.ts'

/** Files of rules. */
export const htaccessParsers = parsersOf('tenant', 128 * 1024, {
  'handlers/sites/htaccess/files/parse-lines.ts parseLines': opened(
    ['<a ', '<IfModule '],
    parseLines,
  ),
  'handlers/sites/htaccess/files/parse-rules.ts parseRules': opened(
    [
      'RewriteRule ',
      'RewriteCond ',
      'Header set A ',
      '<If "',
      'Require ',
      'SetEnvIf A ',
      'AddType ',
      'Redirect ',
      '<FilesMatch "',
    ],
    (text) => parseRules(text, '/', false, true),
  ),
})

/** Lines of them. */
export const ruleLineParsers = parsersOf('tenant', 8 * 1024, {
  'handlers/sites/htaccess/files/parse-lines.ts wordsOf': opened(['"'], wordsOf),
  'handlers/sites/htaccess/files/parse-lines.ts rawWordsOf': opened(['"'], rawWordsOf),
  'handlers/sites/htaccess/directives/modules.ts hasVersion': opened(['>= '], hasVersion),
  'handlers/sites/htaccess/access/hash-text.ts hashText': hashText,
  'handlers/domain/text/section-head.ts readSectionHead': opened(['<a ', '<'], readSectionHead),
})

/** Patterns, templates and flags. */
export const patternParsers = parsersOf('tenant', 2 * 1024, {
  'handlers/sites/rewrite/pattern/parse-pattern.ts parsePattern': opened(
    ['(?', 'a{', '['],
    (text) => parsePattern(text, true),
  ),
  'handlers/sites/rewrite/pattern/pattern-set.ts parseSet': opened(['['], (text) =>
    parseSet(text, 0, true),
  ),
  'handlers/sites/rewrite/template.ts parseTemplate': opened(['%{', '${a:', '$'], parseTemplate),
  'handlers/sites/rewrite/variables.ts dependencyOf': opened(['HTTP:', 'LA-U:'], dependencyOf),
  'handlers/sites/rewrite/pattern/match-wildcard.ts matchesWildcard': opened(
    ['*', '*a*'],
    (text) => [
      matchesWildcard(text, '*a*b', { noCase: true, path: false }, { left: 400_000 }),
      matchesWildcard('ab'.repeat(4096), text, { noCase: false, path: true }, { left: 400_000 }),
    ],
  ),
  'handlers/sites/rewrite/expression-words.ts parseExpressionText': opened(
    ['%{tolower:', '%{', '$'],
    parseExpressionText,
  ),
  'handlers/sites/rewrite/expression-tokens.ts parseTokens': opened(
    ['"', '%{', 'm#', '/'],
    parseTokens,
  ),
  'handlers/sites/rewrite/expression.ts parseExpression': opened(
    ['"a" == ', '!', '%{A} =~ /', '"a" in {'],
    parseExpression,
  ),
  'handlers/sites/rewrite/parse-rewrite.ts parseRewriteCondition': opened(['!', '>'], (text) =>
    parseRewriteCondition(['%{A}', text, `[${text}]`]),
  ),
  'handlers/sites/rewrite/parse-rewrite.ts parseRewriteRule': opened(['!', '^'], (text) =>
    parseRewriteRule([text, text, `[${text}]`], []),
  ),
  'handlers/sites/rewrite/rewrite-flags.ts parseRewriteFlags': opened(
    ['[', '[E=', '[CO=', '[R='],
    parseRewriteFlags,
  ),
  'handlers/sites/rewrite/rewrite-flags.ts hasFlag': opened(['['], (text) => hasFlag(text, 'L')),
  'handlers/sites/rewrite/rewrite-cookie.ts rewriteCookie': opened(['a:b:', ';a;b;'], (text) =>
    rewriteCookie(text, 0),
  ),
  'handlers/sites/rewrite/cache-flags.ts readCacheFlag': (text) => [
    readCacheFlag('Cache-Control', text, noCacheWords(), new Map()),
    readCacheFlag('Cache-Vary', text, noCacheWords(), new Map()),
  ],
  'handlers/sites/htaccess/vhost-rewrites.ts readCondition': readCondition,
})
