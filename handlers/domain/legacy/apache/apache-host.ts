import { trimEndOf } from '../../../../edge-cache/fields/field-text.ts'
import { resolvePath } from '../../config/paths.ts'
import { emptySite } from '../empty-site.ts'
import { isAltSvc } from '../mapped-heads.ts'
import type { Report } from '../report.ts'
import { belowPattern, globPattern, matchExpression } from '../rule-lines.ts'
import type { Directive, LegacyHost, RuleCheck, SourceFiles } from '../types.ts'
import { convertAlias, folderLines } from './apache-folders.ts'
import { conditionalLines, convertDirectories } from './apache-directories.ts'
import { lostPathLines, proxySectionLines, type LostPath } from './apache-guards.ts'
import { convertProxies, proxyDepsOf } from './apache-application.ts'
import { convertRewrites, isRewrite, wholeRedirect } from './apache-rewrites.ts'
import { plainLines, takesHandlers, type SectionDeps } from './apache-sections.ts'

/** What the conversion of every `<VirtualHost>` of a configuration shares. */
export interface ApacheHostDeps {
  files: SourceFiles
  check: RuleCheck
  report: Report
  serverRoot: string
  /** Sections of the whole server that were about some site. */
  used: Set<Directive>
}

const CGI = /^(?:script|wsgiscript)alias(?:match)?$/
const NAME_PARTS = new Set(['servername', 'serveralias', 'documentroot', 'sslengine'])
const PROXIES = new Set(['proxypass', 'proxypassmatch', 'proxypreservehost', 'proxytimeout'])

/** What distributions list for every name of a file and every old browser. */
const LISTS = new Set([
  'addlanguage',
  'addcharset',
  'removetype',
  'browsermatch',
  'browsermatchnocase',
])

/** `<FilesMatch "^\\.ht">` as every distribution has it. */
const isHiddenFiles = ({ name, args, inside }: Directive): boolean =>
  name.startsWith('files') &&
  args.length === 1 &&
  ['^\\.ht', '^\\.', '^\\.(?:ht|git)', '.ht*'].includes(args[0] ?? '') &&
  (inside ?? []).every((inner) => /^(?:require|order|deny|satisfy)$/.test(inner.name))

/** `https://name:443` as a bare name in lower case. */
const bareName = (text: string): string =>
  text
    .replace(/^[a-z]+:\/\//i, '')
    .replace(/:\d+$/, '')
    .toLowerCase()

const isOn = ({ args }: Directive): boolean => /^(?:on|optional)$/i.test(args[0] ?? '')

/** `Location` and `LocationMatch` as a condition on the path; null: no sign encloses it. */
const locationExpression = ({ name, args }: Directive): string | null => {
  const [first = '', second] = args
  const isPattern = name === 'locationmatch' || first === '~'
  const text = first === '~' ? (second ?? '') : first
  if (isPattern) return matchExpression('%{REQUEST_URI}', text)
  if (text === '/') return 'true'
  const isGlob = /[*?[]/.test(text)
  return matchExpression(
    '%{REQUEST_URI}',
    isGlob ? globPattern(trimEndOf(text, '/')) : belowPattern(text),
  )
}

/** Error pages and headers that have keys of their own. True: it was one. */
const convertPlain = ({ name, args }: Directive, host: LegacyHost): boolean => {
  const { site } = host
  const [first = '', second = ''] = args
  if (
    name === 'directoryindex' &&
    args.every((word) => !word.includes('/') && word !== 'disabled')
  ) {
    site.index = args
    return true
  }
  if (name === 'errordocument' && /^[45]\d\d$/.test(first) && /^\/[^\s%]*$/.test(second)) {
    site.errorPages[first] = second
    return true
  }
  if (name !== 'header' || first.toLowerCase() !== 'always' || args.length !== 4) return false
  const [, action = '', field = '', value = ''] = args
  if (!/^set$/i.test(action) || value.includes('%') || isAltSvc(field)) return false
  site.headers[field.replace(/:$/, '')] = value
  return true
}

/** One `<VirtualHost>`, with what the server says for all of them before it. */
export const convertApacheHost = (
  at: Directive,
  directives: readonly Directive[],
  secure: boolean,
  deps: ApacheHostDeps,
): LegacyHost => {
  const { report } = deps
  const last = (name: string): Directive | undefined =>
    directives.findLast((directive) => directive.name === name)
  const file = (name: string): string | null => {
    const path = last(name)?.args[0]
    return path === undefined ? null : resolvePath(deps.serverRoot, path)
  }
  const own = at.inside ?? []
  const names = [
    ...own.filter(({ name }) => name === 'servername').slice(-1),
    ...own.filter(({ name }) => name === 'serveralias'),
  ].flatMap(({ args }) => args.map(bareName))
  const engine = last('sslengine')
  const isSecure = engine === undefined ? secure : isOn(engine)
  const certificate = isSecure ? file('sslcertificatefile') : null
  const host: LegacyHost = {
    at,
    names: [...new Set(names)],
    secure: isSecure,
    certificate,
    key: isSecure ? (file('sslcertificatekeyfile') ?? certificate) : null,
    redirect: null,
    site: { ...emptySite(), root: file('documentroot'), index: ['index.html'] },
  }
  const { site } = host
  const namesPhp = takesHandlers(directives)
  const sectionDeps: SectionDeps = { check: deps.check, report, site, namesPhp }

  const proxying = proxyDepsOf(directives, host, report)
  const passing = convertRewrites(
    directives.filter(
      (one) => (isRewrite(one) && own.includes(one)) || wholeRedirect(one) !== null,
    ),
    host,
    { ...deps, proxies: proxying },
  )
  const lost: LostPath[] = [
    ...passing.map(({ directive, pattern: path }) => ({ directive, path, isPattern: true })),
    ...convertProxies(directives, proxying),
  ]
  site.rewrites.push(...proxying.rules)
  const proxies: Directive[] = []
  const first: Directive[] = []
  const directories: Directive[] = []
  const locations: Directive[] = []
  for (const directive of directives) {
    const { name, inside } = directive
    if (name.startsWith('directory') && inside !== null) directories.push(directive)
    else if (name.startsWith('location') && inside !== null) locations.push(directive)
    else if (NAME_PARTS.has(name) || PROXIES.has(name) || wholeRedirect(directive) !== null)
      continue
    else if (name === 'sslcertificatefile' || name === 'sslcertificatekeyfile') continue
    else if (name === 'sslcertificatechainfile')
      report.lost(directive, 'Append it to the certificate’s file, which holds the whole chain.')
    else if (isRewrite(directive)) {
      if (!own.includes(directive))
        report.unneeded(directive, 'Apache does not apply it to virtual hosts either.')
    } else if (name === 'alias' || name === 'aliasmatch') {
      if (!convertAlias(directive, site, deps))
        lost.push({ directive, path: directive.args[0] ?? '/', isPattern: name !== 'alias' })
    } else if (name === 'accessfilename' && directive.args.includes('.htaccess'))
      report.unneeded(directive, 'Berth reads .htaccess.')
    else if (!isSecure && /^sslverify/.test(name))
      report.unneeded(directive, 'It counts for https alone.')
    else if (!own.includes(directive) && LISTS.has(name))
      report.changed(
        directive,
        'Lists of the whole server are left out. Repeat in rules what a site needs.',
      )
    else if (isHiddenFiles(directive)) report.unneeded(directive, 'Hidden files are never served.')
    else if (name === 'proxy' || name === 'proxymatch') proxies.push(directive)
    else if (!convertPlain(directive, host)) {
      first.push(directive)
      if (CGI.test(name))
        lost.push({ directive, path: directive.args[0] ?? '/', isPattern: name.endsWith('match') })
    }
  }
  const root = site.root ?? '/nonexistent'
  const directoryRules = convertDirectories(directories, root, sectionDeps, deps.used)
  site.rules = [
    'FallbackResource disabled',
    ...site.rules,
    ...plainLines(first, sectionDeps),
    ...directoryRules,
    ...folderLines(directories, sectionDeps, deps.used),
    ...proxySectionLines(proxies, sectionDeps),
  ]
  for (const location of locations) {
    const inside = (location.inside ?? []).filter(({ name }) => !PROXIES.has(name))
    site.rules.push(
      ...conditionalLines(location, locationExpression(location), inside, sectionDeps),
    )
  }
  site.rules.push(...lostPathLines(lost, deps.files, sectionDeps))
  return host
}
