import { trimEndOf } from '../../../edge-cache/index.ts'
import type { VirtualHostConfig } from '../../domain/config/config-types.ts'
import { placeOf, rootOf } from '../paths/resolve-path.ts'
import { PatternLimit } from '../rewrite/pattern/pattern.ts'
import type { FileTest } from '../rewrite/rule-request.ts'
import type { FilePlace, SiteFiles } from '../site-files.ts'

/** Looks at the disk that one request's rules may cost. */
const MAX_TESTS = 200

/** Where an absolute path lies inside the document root or home; null outside. */
const placeIn = (vhost: VirtualHostConfig, path: string): FilePlace | null => {
  if (/\0|\/\.\.?(?:\/|$)/.test(path) || path.length > 4096) return null
  const root = rootOf(vhost)
  if (path === root || path.startsWith(`${root}/`)) {
    return placeOf(vhost, path.slice(root.length) || '/')
  }
  const home = trimEndOf(vhost.home ?? '', '/')
  if (home === '' || !path.startsWith(`${home}/`)) return null
  return { ...placeOf(vhost, path.slice(home.length)), root: home }
}

/** Judges files for conditions of one request; every look counts. */
export const createFileTest = (files: SiteFiles, vhost: VirtualHostConfig) => {
  let looks = 0
  return async (path: string, test: FileTest): Promise<boolean> => {
    const place = placeIn(vhost, path)
    if (place === null || test === 'link') return false
    if (++looks > MAX_TESTS) throw new PatternLimit()
    if (test === 'not-empty') {
      const file = await files.open(place)
      if (typeof file !== 'object') return false
      file.close()
      return file.sizeBytes > 0
    }
    const kind = await files.judge(place)
    if (test === 'exists') return kind === 'file' || kind === 'directory'
    return kind === test
  }
}
