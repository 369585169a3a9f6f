import { ifHead, sectionLines, understood } from '../rule-lines.ts'
import type { Directive, LegacyRewrite, LegacySite, SourceFiles } from '../types.ts'
import { branchesOf, isBelow, type Branch, type Location } from './nginx-locations.ts'
import { convertFastcgi, fastcgiParamLines } from './nginx-php.ts'
import { convertNginxProxy, type ProxyDeps } from './nginx-proxy.ts'
import { convertNginxRewrites, type RewriteDeps } from './nginx-rewrites.ts'
import { nearest, own, type Scope } from './nginx-scope.ts'
import { leadsAway } from './nginx-lost-places.ts'
import type { SettingsDeps } from './settings/nginx-settings-deps.ts'
import { CLOSED, responseLines, settingsLines } from './settings/nginx-settings.ts'
import { textTypeOf } from './nginx-texts.ts'
import { convertTryFiles, isTried } from './nginx-try-files.ts'

/** What the conversion of all locations of one server shares. */
export interface BranchDeps extends RewriteDeps, SettingsDeps, ProxyDeps {
  files: SourceFiles
}

/** A branch with what it says. */
interface Body {
  branch: Branch | null
  settings: string[]
  actions: string[]
  kind: 'php' | 'proxy' | 'answer' | 'files'
  proxyIsLost: boolean
  /** Whether nginx looks for a script of the whole path, so that none may go on behind one. */
  isWhole: boolean
}

const word = (text: string): string => (/\s/.test(text) ? `"${text.replaceAll('"', '\\"')}"` : text)

/** A rule as lines of a directory, where patterns see the path by a condition. */
const rewriteLines = ({ pattern, target, flags, conditions }: LegacyRewrite): string[] => {
  const lines = conditions.map((condition) => `RewriteCond ${condition}`)
  const plain = /\s/.test(flags) ? ` "[${flags.replaceAll('"', '')}]"` : ` [${flags}]`
  const suffix = flags === '' ? '' : plain
  if (pattern === '^') return [...lines, `RewriteRule ^ ${word(target)}${suffix}`]
  const shown = target.replace(/(?<!\\)\$(\d)/g, '%$1')
  return [
    ...lines,
    `RewriteCond %{REQUEST_URI} "${pattern.replaceAll('"', '\\"')}"`,
    `RewriteRule ^ ${word(shown)}${suffix}`,
  ]
}

const REWRITING = ['return', 'rewrite', 'if', 'break', 'set']

const errorLines = (scope: Scope): string[] =>
  own(scope, 'error_page').flatMap(({ args }) => {
    const target = args.at(-1) ?? ''
    if (!/^(?:\/|https?:)[^\s$]*$/.test(target)) return []
    return args
      .filter((arg) => /^[45]\d\d$/.test(arg))
      .map((code) => `ErrorDocument ${code} ${target}`)
  })

/** What one block does with a request. */
const bodyOf = (
  scope: Scope,
  location: Location | null,
  named: ReadonlyMap<string, Location>,
  shared: BranchDeps,
): Omit<Body, 'branch'> => {
  const splits = nearest(scope, 'fastcgi_split_path_info') !== undefined
  const deps = { ...shared, names: { ...shared.names, splits } }
  const { report, site, names } = deps
  let settings = settingsLines(scope, deps)
  const isPhp = convertFastcgi(scope, site, deps)
  const passed = location && convertNginxProxy(location, scope, deps)
  const lines: string[] = [
    ...(passed === 'lost' ? [] : (passed?.lines ?? [])),
    ...(isPhp ? fastcgiParamLines(scope, report) : []),
    ...(location ? errorLines(scope) : []),
  ]
  if (location && own(scope, 'index').length > 0)
    lines.push(
      `DirectoryIndex ${own(scope, 'index')
        .flatMap(({ args }) => args)
        .join(' ')}`,
    )
  const rules: LegacyRewrite[] = []
  if (own(scope, 'internal').length > 0)
    rules.push({
      pattern: '^',
      target: '-',
      flags: 'R=404',
      conditions: ['%{ENV:REDIRECT_URL} ^$'],
    })
  const type = textTypeOf(scope, location)
  // What is passed on needs no end of rewriting before it.
  const rewriting = own(scope, ...REWRITING).filter(
    ({ name }) => name !== 'break' || passed === null,
  )
  if (location) rules.push(...convertNginxRewrites(rewriting, deps, { type }))
  const tried = own(scope, 'try_files').at(-1)
  if (tried) {
    const found = convertTryFiles(tried, names, report)
    rules.push(...found.rules)
    const next = found.named === null ? undefined : named.get(found.named)
    if (found.named !== null && !next) report.lost(tried, `There is no location ${found.named}.`)
    if (next) {
      const found = isTried(tried)
      const [files, rest] = [responseLines(scope, deps), responseLines(next.scope, deps)]
      // What is not among the files has the headers of the location that answers in their place.
      if (found !== null && files.join('\n') !== rest.join('\n'))
        settings = settingsLines(scope, deps, [
          `<${ifHead(found)}>`,
          ...files,
          '</If>',
          ...sectionLines('Else', rest),
        ])
      convertFastcgi(next.scope, site, deps)
      const target = location && { ...next, kind: location.kind, text: location.text }
      const app = target && convertNginxProxy(target, next.scope, deps)
      if (app !== null && app !== 'lost') {
        lines.push(
          ...app.lines,
          'RewriteEngine On',
          ...[...rules, ...app.rules].flatMap(rewriteLines),
        )
        return { settings, actions: lines, kind: 'proxy', proxyIsLost: false, isWhole: false }
      }
      const nextType = textTypeOf(next.scope, null)
      rules.push(...convertNginxRewrites(own(next.scope, ...REWRITING), deps, { type: nextType }))
    }
  }
  if (passed !== 'lost') rules.push(...(passed?.rules ?? []))
  if (rules.length > 0) lines.push('RewriteEngine On', ...rules.flatMap(rewriteLines))
  const answers = own(scope, 'return').length > 0
  return {
    settings,
    actions: lines,
    proxyIsLost: passed === 'lost',
    isWhole: isPhp && !splits && tried?.args.at(-1) === '=404',
    kind: passed ? 'proxy' : isPhp ? 'php' : answers ? 'answer' : 'files',
  }
}

const NO_PATH_INFO = 'AcceptPathInfo Off'

/** Where nginx would not run PHP, Berth must not either. */
const guardLines = ({ branch, kind, isWhole }: Body, site: LegacySite): string[] => {
  if (site.phpSocket === null) return []
  if (kind === 'php' && isWhole) return [NO_PATH_INFO]
  if (kind !== 'files') return []
  if (branch === null) return [NO_PATH_INFO]
  const { location } = branch
  if (location.kind === 'prefix') return [NO_PATH_INFO]
  if (location.kind === 'exact' && !location.text.endsWith('.php')) return []
  return ['<FilesMatch "\\.php$">', '  Require all denied', '</FilesMatch>']
}

/** Paths of files amid those of an application. */
const exceptPaths = (bodies: readonly Body[], deps: BranchDeps): void => {
  const { proxy } = deps.site
  if (!proxy) return
  for (const { branch, kind } of bodies) {
    if (branch === null || kind === 'proxy' || kind === 'answer') continue
    const { location } = branch
    if (location.kind === 'pattern') {
      if (proxy.paths === null && kind === 'files')
        deps.report.changed(location.scope.at, 'The application answers paths of this pattern too.')
      continue
    }
    const passes = proxy.paths === null || proxy.paths.some((path) => isBelow(location.text, path))
    if (passes && location.text !== '/') proxy.except.push(location.text)
  }
}

/** A server's locations as a chain of which one branch applies, and what the server says itself. */
export const convertBranches = (
  scope: Scope,
  locations: readonly Location[],
  deps: BranchDeps,
): string[] => {
  const named = new Map(
    locations.filter(({ kind }) => kind === 'named').map((one) => [one.text, one] as const),
  )
  const found = branchesOf(locations).map((branch) => ({
    branch,
    ...bodyOf(branch.location.scope, branch.location, named, deps),
  }))
  const bodies: Body[] = found.map((body) =>
    leadsAway(body.branch.location, deps, body.proxyIsLost)
      ? { ...body, settings: [CLOSED], actions: [], kind: 'answer' }
      : body,
  )
  const last = bodies.at(-1)?.branch
  const rest: Body = { branch: null, ...bodyOf(scope, null, named, deps) }
  if (last?.expression !== 'true') bodies.push(rest)
  exceptPaths(bodies, deps)
  const shared = bodies.every(
    ({ settings }) => JSON.stringify(settings) === JSON.stringify(rest.settings),
  )
  const chain: { head: string; inside: string[]; at: Directive }[] = []
  for (const body of bodies) {
    const { branch } = body
    const at = branch?.location.scope.at ?? scope.at
    const inside = [
      ...(shared ? [] : body.settings),
      ...guardLines(body, deps.site),
      ...body.actions,
    ]
    const expression = branch === null ? 'true' : branch.expression
    const test = expression === null ? [] : [`<${ifHead(expression)}>`, ...inside, '</If>']
    if (expression === null)
      deps.report.lost(at, 'Its pattern holds every sign that could enclose it.')
    else if (understood(test, at, deps) !== null)
      chain.push({
        head:
          chain.length === 0
            ? ifHead(expression)
            : expression === 'true'
              ? 'Else'
              : ifHead(expression, 'ElseIf'),
        inside,
        at,
      })
    else if (body.settings.some((line) => line.includes('Require')))
      deps.report.lost(at, 'It kept visitors out. Protect the place before the site is open.')
  }
  while (chain.at(-1)?.inside.length === 0) chain.pop()
  const [only] = chain
  const lines =
    chain.length === 1 && only?.head === 'If "true"'
      ? only.inside
      : chain.flatMap(({ head, inside }) =>
          inside.length > 0
            ? sectionLines(head, inside)
            : [`<${head}>`, `</${head.split(' ')[0] ?? ''}>`],
        )
  return [...(shared ? rest.settings : []), ...lines]
}
