import { escapePattern, ifHead, quoted, sectionLines, understood } from '../../rule-lines.ts'
import type { Directive } from '../../types.ts'
import type { SettingsDeps } from './nginx-settings-deps.ts'
import { expiryLines } from './nginx-expiry.ts'
import { headerLines, hiddenLines } from './nginx-headers.ts'
import { fileTypeLines } from './nginx-types.ts'
import { nearest, nearestAll, own, type Scope } from '../nginx-scope.ts'

/** What closes a place. */
export const CLOSED = 'Require all denied'

/** `allow` and `deny` in order, the first that fits decides. Null: Berth cannot say it. */
const addressLines = (rules: readonly Directive[]): string[] | null => {
  const lastAll = rules.findIndex(({ args }) => args[0] === 'all')
  const counted = lastAll === -1 ? rules : rules.slice(0, lastAll + 1)
  const allows = (directive: Directive): boolean => directive.name === 'allow'
  const blocks = counted.filter(({ args }) => args[0] !== 'all')
  const closes = lastAll !== -1 && !allows(counted[lastAll] as Directive)
  if (closes) {
    if (blocks.length === 0) return [CLOSED]
    if (blocks.every(allows)) return [`Require ip ${blocks.map(({ args }) => args[0]).join(' ')}`]
    return null
  }
  if (blocks.some(allows)) return blocks.every(allows) ? [] : null
  if (blocks.length === 0) return []
  return [
    '<RequireAll>',
    '  Require all granted',
    ...blocks.map(({ args }) => `  Require not ip ${args[0] ?? ''}`),
    '</RequireAll>',
  ]
}

/** What another service, or a certificate of the visitor, was asked. */
const foreignJudge = (scope: Scope): Directive | undefined => {
  const asked = nearest(scope, 'auth_request')
  const verified = nearest(scope, 'ssl_verify_client')
  if (asked && asked.args[0] !== 'off') return asked
  return verified?.args[0] === 'on' ? verified : undefined
}

/** `limit_except`: rules of access for the methods that it does not name. */
const methodLines = (scope: Scope, deps: SettingsDeps): string[] =>
  own(scope, 'limit_except').flatMap((at) => {
    const names = at.args.map((name) => name.toUpperCase())
    const methods = names.includes('GET') ? [...names, 'HEAD'] : names
    const inner = accessLines({ at, directives: at.inside ?? [], parent: null }, deps)
    const pattern = `^(?:${methods.map(escapePattern).join('|')})$`
    const lines = sectionLines(ifHead(`!(%{REQUEST_METHOD} =~ m#${pattern}#)`), inner)
    if (lines.length === 0) return []
    return understood(lines, at, deps) ?? sectionLines(ifHead('true'), [CLOSED])
  })

/** Who may see what. What cannot be said closes the place. */
const accessLines = (scope: Scope, { report, check, prefix }: SettingsDeps): string[] => {
  const judge = foreignJudge(scope)
  if (judge) {
    report.lost(judge, 'Berth cannot ask this of visitors, so the place is closed.')
    return [CLOSED]
  }
  const rules = nearestAll(scope, 'allow', 'deny')
  const realm = nearest(scope, 'auth_basic')
  const file = nearest(scope, 'auth_basic_user_file')
  const addresses = addressLines(rules)
  const [first] = rules
  if (addresses === null || (first && understood(addresses, first, { check, report }) === null)) {
    if (first)
      report.lost(
        first,
        'The addresses are mixed in a way that Berth cannot say, so the place is closed.',
      )
    return [CLOSED]
  }
  if (realm === undefined || realm.args[0] === 'off') return addresses
  const path = file?.args[0] ?? ''
  if (path === '' || path.includes('$')) {
    report.lost(
      realm,
      'There is no file of passwords that Berth could read, so the place is closed.',
    )
    return [CLOSED]
  }
  const full = path.startsWith('/') ? path : `${prefix}/${path}`
  const login = [
    `AuthType Basic`,
    `AuthName ${quoted(realm.args[0] ?? '')}`,
    `AuthUserFile ${quoted(full)}`,
  ]
  if (addresses.length === 0) return [...login, 'Require valid-user']
  const any = nearest(scope, 'satisfy')?.args[0] === 'any'
  const group = any ? 'RequireAny' : 'RequireAll'
  return [
    ...login,
    `<${group}>`,
    ...addresses.map((line) => `  ${line}`),
    '  Require valid-user',
    `</${group}>`,
  ]
}

/** `autoindex`, where it is on. */
const listingLines = (scope: Scope): string[] =>
  nearest(scope, 'autoindex')?.args[0] === 'on' ? ['Options +Indexes'] : []

const etagLines = (scope: Scope, { report }: SettingsDeps): string[] => {
  const etag = nearest(scope, 'etag')
  if (etag?.args[0] !== 'off') return []
  report.carried(etag)
  return ['FileETag None']
}

/** Headers of a block's responses, with what it takes over from those around it. */
export const responseLines = (scope: Scope, deps: SettingsDeps): string[] => [
  ...hiddenLines(scope, deps),
  ...expiryLines(scope, deps),
  ...headerLines(scope, deps),
]

/** What a block says of who may see it and of its responses; `responses`: in place of its own headers. */
export const settingsLines = (
  scope: Scope,
  deps: SettingsDeps,
  responses: readonly string[] = responseLines(scope, deps),
): string[] => [
  ...accessLines(scope, deps),
  ...listingLines(scope),
  ...fileTypeLines(scope, deps.report),
  ...etagLines(scope, deps),
  ...responses,
  ...methodLines(scope, deps),
]
