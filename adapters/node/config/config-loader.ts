import { readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { ConfigProblem, ServerConfig } from '#handlers/domain/config/config-types.ts'
import {
  findDuplicates,
  parseIncludedFile,
  parseServerConfig,
  type ParsedFile,
  type ParsedMainFile,
  type PlacedVirtualHost,
} from '#handlers/domain/config/server-config.ts'
import { checkProxyTargets } from '#handlers/domain/config/proxy/proxy-target-rules.ts'
import { frontSitesDirectory } from '../layout/front-directories.ts'
import { findMissingFiles } from './find-missing-files.ts'
import { findWrongRewrites } from './find-wrong-rewrites.ts'
import { isRootConfig } from './is-root-config.ts'

export type LoadedConfig =
  { ok: true; config: ServerConfig } | { ok: false; problems: ConfigProblem[] }

/** A correct configuration with the places where its keys stand. */
export interface PlacedConfig {
  config: ServerConfig
  main: ParsedMainFile
  hosts: readonly PlacedVirtualHost[]
}

/** Files handled between two turns of the event loop. */
const BATCH = 200

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''

/** What to say when a file or directory cannot be read; `what` is the file that the problem names already, or a quoted path. */
const unreadable = (what: string, error: unknown): string => {
  const code = codeOf(error)
  if (code === 'ENOENT') return `${what} does not exist.`
  if (code === 'EACCES') return `${what} may not be read by this user. Check its owner and mode.`
  return `${what} cannot be read: ${error instanceof Error ? error.message : String(error)}.`
}

interface CachedFile {
  /** Changes whenever the content may have. */
  stamp: string
  parsed: ParsedFile
}

export interface ConfigLoader {
  /** Loads everything anew, parsing only included files that changed since the last call. */
  load(): Promise<LoadedConfig>
  /** The same, with the places. */
  loadPlaced(): Promise<({ ok: true } & PlacedConfig) | { ok: false; problems: ConfigProblem[] }>
}

/**
 * A loader that remembers included files by inode, size and times, so that
 * reloading ten thousand virtual hosts after one change parses one file.
 * `generatedHosts: 'optional'` lets a reader pass that may not enter their
 * directory; the web server uses `'required'`.
 */
export const createConfigLoader = (
  file: string,
  options: {
    generatedHosts: 'required' | 'optional'
    /** Taken for the content of `file`, to check what is not written yet. */
    text?: string
  } = { generatedHosts: 'required' },
): ConfigLoader => {
  let cache = new Map<string, CachedFile>()

  /** Paths matching a glob with at most one `*`, in its last part; sorted. */
  const expand = (glob: string, problems: ConfigProblem[], generated: boolean): string[] => {
    const [before, after] = basename(glob).split('*')
    if (before === undefined || after === undefined) return [glob]
    try {
      return readdirSync(dirname(glob))
        .filter(
          (name) =>
            // Hidden files are halves of a replacement that is still being written.
            !name.startsWith('.') &&
            name.length >= before.length + after.length &&
            name.startsWith(before) &&
            name.endsWith(after),
        )
        .sort()
        .map((name) => join(dirname(glob), name))
    } catch (error) {
      const code = codeOf(error)
      if (code === 'ENOENT') return [] // nothing generated yet
      if (!(code === 'EACCES' && generated && options.generatedHosts === 'optional'))
        problems.push({
          file,
          line: 0,
          key: 'include',
          message: unreadable(`"${dirname(glob)}"`, error),
        })
      return []
    }
  }

  const readIncluded = (path: string): CachedFile => {
    const stat = statSync(path, { bigint: true })
    const stamp = `${stat.ino}:${stat.size}:${stat.mtimeNs}:${stat.ctimeNs}`
    const known = cache.get(path)
    if (known?.stamp === stamp) return known
    return { stamp, parsed: parseIncludedFile(path, readFileSync(path, 'utf8')) }
  }

  const loadPlaced: ConfigLoader['loadPlaced'] = async () => {
    let text: string
    try {
      text = options.text ?? readFileSync(file, 'utf8')
    } catch (error) {
      const hint = codeOf(error) === 'ENOENT' ? ' Name another with --config.' : ''
      const message = unreadable('the file', error) + hint
      return { ok: false, problems: [{ file, line: 0, key: '', message }] }
    }
    const main = parseServerConfig({ file, text, root: isRootConfig(file) })
    const problems = [...main.problems]
    const hosts: PlacedVirtualHost[] = [...main.hosts]
    const { include, paths } = main.config
    const generatedGlob = join(paths.vhosts_dir, '*.toml')
    const files = new Set(expand(generatedGlob, problems, true))
    // Those that this machine has as a front: as a rule none, and no directory.
    for (const path of expand(join(frontSitesDirectory(paths), '*.toml'), problems, true))
      files.add(path)
    if (include !== generatedGlob)
      for (const path of expand(include, problems, false)) files.add(path)

    const fresh = new Map<string, CachedFile>()
    let handled = 0
    for (const path of files) {
      if (++handled % BATCH === 0) await setImmediate()
      try {
        const entry = readIncluded(path)
        fresh.set(path, entry)
        hosts.push(...entry.parsed.hosts)
        problems.push(...entry.parsed.problems)
      } catch (error) {
        // Removed since the directory was listed: its host is gone, which is no problem.
        if (codeOf(error) === 'ENOENT' && path !== include) continue
        problems.push({ file: path, line: 0, key: '', message: unreadable('the file', error) })
      }
    }
    cache = fresh
    problems.push(...findDuplicates(hosts), ...findMissingFiles(main, hosts))
    problems.push(...checkProxyTargets(main.config, hosts), ...findWrongRewrites(hosts))
    if (problems.length > 0) {
      const inFile = (problem: ConfigProblem): number => (problem.file === file ? 0 : 1)
      problems.sort(
        (a, b) => inFile(a) - inFile(b) || a.file.localeCompare(b.file) || a.line - b.line,
      )
      return { ok: false, problems }
    }
    const config: ServerConfig = { ...main.config, virtualhost: hosts.map(({ host }) => host) }
    return { ok: true, config, main, hosts }
  }

  return {
    loadPlaced,
    async load() {
      const loaded = await loadPlaced()
      return loaded.ok ? { ok: true, config: loaded.config } : loaded
    },
  }
}
