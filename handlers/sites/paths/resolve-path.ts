import { trimEndOf } from '../../../edge-cache/index.ts'
import type { VirtualHostConfig } from '../../domain/config/config-types.ts'
import { isScriptSource } from '../../domain/files/script-source.ts'
import { isHiddenPath, isTooDeep, scriptCandidates } from './path-rules.ts'
import { folderPlace } from './site-folders.ts'
import type { FilePlace, SiteFile, SiteFiles } from '../site-files.ts'

/** A script to run: its name below the document root, and what follows it in the path. */
export interface ResolvedScript {
  kind: 'script'
  scriptName: string
  pathInfo: string
}

/** What answers a path. */
export type Resolution =
  | { kind: 'file'; file: SiteFile; name: string }
  | ResolvedScript
  /** A directory asked for without its final slash. */
  | { kind: 'directory' }
  /** A directory without an index whose names are shown. */
  | { kind: 'listing' }
  | { kind: 'nothing' }

const NOTHING: Resolution = { kind: 'nothing' }
const FRONT_CONTROLLER = '/index.php'

/** The document root without a final slash, so that paths can be appended. */
export const rootOf = ({ root }: VirtualHostConfig): string => trimEndOf(root, '/')

/** Where the file of a path lies: in one of the `folders`, else below the document root. */
export const placeOf = (vhost: VirtualHostConfig, path: string): FilePlace =>
  folderPlace(vhost, path) ?? {
    root: rootOf(vhost),
    home: vhost.home ?? vhost.root,
    uid: vhost.uid,
    path,
  }

/** The name of the file of a path. */
export const fileNameOf = (vhost: VirtualHostConfig, path: string): string => {
  const place = placeOf(vhost, path)
  return `${place.root}${place.path}`
}

/**
 * Finds what answers `file` (a decoded path; null when no file can be meant):
 * a script, also with PATH_INFO behind it; a directory's index; a file; else the
 * front controller, `index.php` of the document root. Only a file that really is
 * a regular `.php` file runs, so `x.jpg/y.php` does not. What is denied does not
 * reach the front controller. `runs`: whether the site's rules give another file
 * to PHP, by its name. `isListed`: whether a directory without an index shows its names.
 */
export const resolvePath = async (
  files: SiteFiles,
  vhost: VirtualHostConfig,
  file: string | null,
  runs: (name: string) => boolean = () => false,
  isListed = false,
): Promise<Resolution> => {
  /** A file that is open: to be sent, to be run, or not to be seen. */
  const opened = (found: SiteFile, name: string): Resolution => {
    const isScript = vhost.php.enable && runs(name)
    if (!isScript && !isScriptSource(name)) return { kind: 'file', file: found, name }
    found.close()
    return isScript ? { kind: 'script', scriptName: name, pathInfo: '' } : NOTHING
  }
  const frontController = async (): Promise<Resolution> => {
    if (!vhost.php.enable || (file !== null && folderPlace(vhost, file) !== null)) return NOTHING
    const kind = await files.judge(placeOf(vhost, FRONT_CONTROLLER))
    if (kind !== 'file') return NOTHING
    return { kind: 'script', scriptName: FRONT_CONTROLLER, pathInfo: '' }
  }
  if (file === null) return frontController()

  if (vhost.php.enable) {
    for (const script of scriptCandidates(file)) {
      const kind = await files.judge(placeOf(vhost, script))
      if (kind === 'file') {
        return { kind: 'script', scriptName: script, pathInfo: file.slice(script.length) }
      }
      if (kind === 'denied') return NOTHING
      if (kind === 'missing') break
    }
  }
  if (!file.endsWith('/')) {
    const found = await files.open(placeOf(vhost, file))
    if (found === 'missing') return frontController()
    if (found === 'denied') return NOTHING
    if (found === 'directory') return { kind: 'directory' }
    return opened(found, file)
  }
  for (const index of vhost.index) {
    const name = `${file}${index}`
    if (name.endsWith('.php')) {
      if (!vhost.php.enable) continue
      const kind = await files.judge(placeOf(vhost, name))
      if (kind === 'file') return { kind: 'script', scriptName: name, pathInfo: '' }
      continue
    }
    const found = await files.open(placeOf(vhost, name))
    if (typeof found === 'object') return opened(found, name)
  }
  if (isListed && (await files.judge(placeOf(vhost, file))) === 'directory')
    return { kind: 'listing' }
  return frontController()
}

/**
 * Whether a path must look as if nothing were there: a hidden one, or one with too many segments.
 * What follows a script in it names no file, so names there are the script's to judge.
 */
export const isUnseen = async (
  files: SiteFiles,
  vhost: VirtualHostConfig,
  file: string,
): Promise<boolean> => {
  if (isTooDeep(file)) return true
  if (!isHiddenPath(file)) return false
  if (!vhost.php.enable) return true
  for (const script of scriptCandidates(file)) {
    if (script === file || isHiddenPath(script)) return true
    const kind = await files.judge(placeOf(vhost, script))
    if (kind === 'file') return false
    if (kind !== 'directory') return true
  }
  return true
}

/**
 * The script that `resolvePath` would find, where that is known without asking the
 * disk; null where it is not, or something else answers.
 */
export const scriptAtHand = (
  files: SiteFiles,
  vhost: VirtualHostConfig,
  file: string,
): ResolvedScript | null => {
  if (!vhost.php.enable || files.isKnownFile === undefined) return null
  const [first] = scriptCandidates(file)
  const index = vhost.index[0]
  const scriptName = first ?? (file.endsWith('/') && index?.endsWith('.php') ? file + index : null)
  if (scriptName === null || !files.isKnownFile(placeOf(vhost, scriptName))) return null
  return {
    kind: 'script',
    scriptName,
    pathInfo: first === undefined ? '' : file.slice(first.length),
  }
}
