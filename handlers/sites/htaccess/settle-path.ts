import { isHiddenPath, scriptCandidates } from '../paths/path-rules.ts'
import { placeOf } from '../paths/resolve-path.ts'
import { folderPlace } from '../paths/site-folders.ts'
import { showsListing } from '../listing/shows-listing.ts'
import { spend } from '../rewrite/pattern/pattern.ts'
import type { RuleRequest } from '../rewrite/rule-request.ts'
import type { SiteFiles } from '../site-files.ts'
import { namesFrontController } from './files/merge-rewrite.ts'
import { statusResponse, type Step } from './plan-step.ts'
import type { Settings } from './files/settings.ts'

const FRONT_CONTROLLER = '/index.php'
/** Of a look at the disk for one name of `DirectoryIndex`. */
const LOOK_STEPS = 100

/** The path up to where a script ends; what follows becomes the request's `pathInfo`. */
export const locateScript = async (rules: RuleRequest, files: SiteFiles): Promise<string> => {
  const { vhost } = rules
  const path = rules.uri
  for (const script of scriptCandidates(path)) {
    if (script === path || !vhost.php.enable) break
    if ((await files.judge(placeOf(vhost, script))) !== 'file') continue
    rules.pathInfo = path.slice(script.length)
    return script
  }
  rules.pathInfo = ''
  return path
}

/** What answers a directory, or stands in for what is not there. Throws `PatternLimit`. */
export const settlePath = async (
  merged: Settings,
  { uri, query, pathInfo, vhost, budget }: RuleRequest,
  files: SiteFiles,
): Promise<Step> => {
  // Nothing lies below a file, so what follows a script in the path is the script's to answer.
  if (pathInfo !== '') return { kind: 'stay', missing: !merged.pathInfo }
  const go = (path: string): Step => ({ kind: 'go', path, query, rewriting: true, inner: true })
  const kind = await files.judge(placeOf(vhost, uri))
  if (uri.endsWith('/')) {
    for (const index of merged.index ?? vhost.index) {
      const path = index.startsWith('/') ? index : `${uri}${index}`
      if (isHiddenPath(path)) continue
      if (!vhost.php.enable && path.endsWith('.php')) continue
      spend(budget, LOOK_STEPS)
      if ((await files.judge(placeOf(vhost, path))) === 'file') return go(path)
    }
  } else if (kind !== 'missing') return { kind: 'stay', missing: false }
  const isDirectory = uri.endsWith('/') && (await files.judge(placeOf(vhost, uri))) === 'directory'
  // Only a stand-in that the rules name themselves comes before the names in a directory.
  const isListed = isDirectory && showsListing(vhost, merged)
  if (isListed && (merged.fallback === null || merged.fallback === 'disabled'))
    return { kind: 'stay', missing: false }
  // A site whose rules lead to a script says itself what its front controller answers.
  const ruled = merged.rewrite !== null && namesFrontController(merged.rewrite)
  const nothing = ((): Step => {
    if (isListed) return { kind: 'stay', missing: false }
    return isDirectory
      ? { kind: 'answer', answer: statusResponse(403) }
      : { kind: 'stay', missing: true }
  })()
  if (merged.fallback === 'disabled') return nothing
  const inFolder = folderPlace(vhost, uri) !== null
  const usual = vhost.php.enable && !ruled && !inFolder ? FRONT_CONTROLLER : null
  const fallback = merged.fallback ?? usual
  if (fallback === null || fallback === uri) return nothing
  const there = await files.judge(placeOf(vhost, fallback))
  if (there !== 'file') return nothing
  return { kind: 'go', path: fallback, query, rewriting: merged.fallback !== null, inner: false }
}
