import { trimEndOf } from '../../../../edge-cache/fields/field-text.ts'
import { isPathPrefix } from '../../upstreams/path-prefix.ts'
import { resolvePath } from '../../config/paths.ts'
import type { Report } from '../report.ts'
import type { LegacySite, SourceFiles } from '../types.ts'
import type { Location } from './nginx-locations.ts'
import { own } from './nginx-scope.ts'

const ELSEWHERE =
  'Files of a pattern of paths lie below root. Move them there, or give them a site.'

/** The path of a location in the key `folders`. */
export const folderPathOf = ({ text }: Pick<Location, 'text'>): string => trimEndOf(text, '/')

/** The folder that `alias /srv/x/$1` of `^/x/(…)$` means, of all of its files or some; null: it is another thing. */
const folderOfPattern = (
  pattern: string,
  alias: string,
): { path: string; target: string; isWhole: boolean } | null => {
  const [, path, rest] = /^\^(\/[\w./-]{1,200})\/\((.{1,400})\)\$?$/.exec(pattern) ?? []
  const target = /^(\/[^$]{1,1000})\/\$1$/.exec(alias)?.[1]
  if (path === undefined || target === undefined) return null
  return { path, target: resolvePath('/', target), isWhole: rest === '.*' || rest === '.+' }
}

/** Whether a location's pattern and `alias` are those of a folder that is carried over. */
export const isOfFolder = (pattern: string, alias: string, site: LegacySite): boolean => {
  const folder = folderOfPattern(pattern, alias)
  return folder !== null && site.folders[folder.path] === folder.target
}

/**
 * `alias`, and another `root`, of locations that are no patterns: folders elsewhere. A `root` of
 * `location /` is the site's where the server names none.
 */
export const convertFolders = (
  locations: readonly Location[],
  { site, files, report }: { site: LegacySite; files: Pick<SourceFiles, 'exists'>; report: Report },
): void => {
  const isWhole = ({ kind, text }: Location): boolean =>
    text === '/' && (kind === 'prefix' || kind === 'preferred')
  const whole = locations.find((one) => isWhole(one) && own(one.scope, 'root').length > 0)
  const wholeRoot = whole && own(whole.scope, 'root').at(-1)?.args[0]
  if (site.root === null && wholeRoot !== undefined && !wholeRoot.includes('$'))
    site.root = resolvePath('/', wholeRoot)
  for (const location of locations) {
    const { scope, kind, text } = location
    const at = own(scope, 'alias', 'root').at(-1)
    if (at === undefined || kind === 'named') continue
    const given = at.args[0] ?? ''
    const isAlias = at.name === 'alias'
    const target = resolvePath('/', isAlias ? given : `${given}/${text}`)
    if (!isAlias && resolvePath('/', given) === site.root) continue
    const path = folderPathOf(location)
    if (kind === 'pattern' && isAlias) {
      const folder = folderOfPattern(text, given)
      if (folder?.isWhole === true && files.exists(folder.target))
        site.folders[folder.path] ??= folder.target
      if (isOfFolder(text, given, site)) continue
    }
    if (
      kind === 'pattern' ||
      given.includes('$') ||
      !given.startsWith('/') ||
      !isPathPrefix(path)
    ) {
      report.lost(at, kind === 'pattern' ? ELSEWHERE : 'Berth cannot tell which folder it means.')
      continue
    }
    if (isAlias && target === resolvePath('/', `${site.root ?? ''}${text}`)) {
      report.unneeded(at, 'It leads where the path leads anyway.')
      continue
    }
    if (!files.exists(target)) {
      report.lost(at, `${target} does not exist.`)
      continue
    }
    site.folders[path] = target
  }
}
