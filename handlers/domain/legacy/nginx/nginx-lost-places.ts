import { resolvePath } from '../../config/paths.ts'
import type { Report } from '../report.ts'
import type { LegacySite, SourceFiles } from '../types.ts'
import { folderPathOf, isOfFolder } from './nginx-folders.ts'
import type { Location } from './nginx-locations.ts'
import { own } from './nginx-scope.ts'

/** Programs that Berth does not speak to. */
const PASSES = ['uwsgi_pass', 'scgi_pass', 'grpc_pass', 'memcached_pass']

/**
 * Whether a location led away from the root, to something that is not carried
 * over. Files of the root that lie under its path were never to be seen there.
 */
export const leadsAway = (
  { scope, kind, text }: Location,
  deps: { site: LegacySite; files: Pick<SourceFiles, 'exists'>; report: Report },
  proxyIsLost: boolean,
): boolean => {
  const { root, proxy } = deps.site
  if (root === null) return false
  const place = resolvePath('/', `${root}/${kind === 'pattern' ? '' : text}`)
  const other = own(scope, 'alias', 'root').at(-1)
  const path = resolvePath('/', other?.args[0] ?? '')
  const isCarried =
    kind === 'pattern'
      ? isOfFolder(text, other?.args[0] ?? '', deps.site)
      : Object.hasOwn(deps.site.folders, folderPathOf({ text }))
  const isElsewhere =
    !isCarried && other !== undefined && path !== (other.name === 'root' ? root : place)
  const isPassed = proxyIsLost || own(scope, ...PASSES).length > 0
  if (!isPassed && (!isElsewhere || own(scope, 'fastcgi_pass', 'proxy_pass').length > 0))
    return false
  // The application of the whole site answers instead.
  if (isPassed && proxy !== null && proxy.paths === null) return false
  if (!deps.files.exists(place)) return false
  deps.report.changed(
    scope.at,
    'Files of the root under this path were not to be seen; they are closed.',
  )
  return true
}
