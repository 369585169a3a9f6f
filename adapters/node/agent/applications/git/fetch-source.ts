import { fileURLToPath } from 'node:url'
import { USUAL_BRANCH } from '#handlers/domain/applications/application-place.ts'
import { gitRefFault, parseGitUrl, RELEASE_NAME } from '#handlers/domain/applications/git-url.ts'
import type { SubmoduleSource } from '#handlers/domain/applications/submodules.ts'
import { AppError, invalid } from '#handlers/errors.ts'
import type { CronProgram } from '#handlers/ports/host/cron.ts'
import type { FetchPlan } from './fetch/fetch-plan.ts'
import { CHECKED } from './fetch/git-settings.ts'
import { reachSource, type Asking } from './fetch/reach-source.ts'

const ENTRY = fileURLToPath(new URL('../../../bin/git-fetch.ts', import.meta.url))
const NODE_ARGS = ['--max-old-space-size=64', '--disable-warning=ExperimentalWarning']

/** A program with its arguments, and variables that it has beside others. */
export interface SourceCommand {
  argv: string[]
  env: Record<string, string>
}

/** Null: the application's own, to which its owner pushes. */
const sourceOf = (url: string | null, name: string): SubmoduleSource => {
  if (url === null) return { kind: 'own', application: name }
  const source = parseGitUrl(url)
  if (typeof source === 'string') throw invalid('url', `url ${source}`)
  return source
}

/**
 * How a repository is fetched into a release with its submodules, as the account; where it leads is
 * judged here, and that of its submodules when they are known. 400 for an address that may not be
 * asked.
 */
export const fetchSource = async (
  { url, ref, release: name }: Extract<CronProgram, { kind: 'source' }>,
  asking: Asking,
  mayBeLocal: boolean,
): Promise<SourceCommand> => {
  const source = sourceOf(url, asking.name)
  if (ref !== null && gitRefFault(ref) !== null)
    throw invalid('branch', `branch ${gitRefFault(ref)}`)
  if (!RELEASE_NAME.test(name)) throw new AppError(400, 'release is not the name of one.')
  const branch = ref ?? (source.kind === 'own' ? USUAL_BRANCH : null)
  const reached = await reachSource(source, asking, mayBeLocal)
  const release = `releases/${name}`
  const plan: FetchPlan = {
    clone: [
      ...[...reached.options, ...CHECKED],
      ...['clone', '--depth=1', '--single-branch', '--no-tags', '--no-recurse-submodules'],
      ...['--progress', ...(branch === null ? [] : [`--branch=${branch}`])],
      ...['--', reached.url, release],
    ],
    ...{ source, release, mayBeLocal },
    asking: { home: asking.home, name: asking.name },
  }
  return {
    argv: [process.execPath, ...NODE_ARGS, ENTRY, JSON.stringify(plan)],
    // The owner's are for his programs.
    env: { ...reached.env, NODE_OPTIONS: '' },
  }
}
