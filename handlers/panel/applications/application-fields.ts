import { z } from 'zod'
import {
  APPLICATION_RULES,
  environmentFault,
  lineFault,
  variableNameFault,
  variableValueFault,
} from '../../domain/applications/application-rules.ts'
import { gitRefFault, parseGitUrl } from '../../domain/applications/git-url.ts'
import {
  publicFolderFault,
  sharedPathFault,
  sharedPathsFault,
} from '../../domain/applications/release-paths.ts'
import { parsePathBelowHome } from '../../domain/files/home-path.ts'
import { invalid } from '../../errors.ts'
import type { ApplicationSettings } from '../../ports/store/application-store.ts'
import { oneOf, text } from '../frame/fields.ts'
import { LISTENS, RESTARTS, RUNTIME_KINDS } from './schema.ts'

const whole = (field: string, [least, most]: readonly [number, number]) =>
  z
    .int({ error: `${field} must be a whole number.` })
    .min(least, `${field} must be at least ${least}.`)
    .max(most, `${field} must be at most ${most}.`)

const judgedBy =
  <Value>(faultOf: (value: Value) => string | null, field: string) =>
  (value: Value, context: { addIssue(issue: { code: 'custom'; message: string }): void }): void => {
    const fault = faultOf(value)
    if (fault !== null) context.addIssue({ code: 'custom', message: `${field} ${fault}` })
  }

const line = (field: string) =>
  text(field, APPLICATION_RULES.maxLine).superRefine((value, context) => {
    const fault = lineFault(value)
    if (fault !== null) context.addIssue({ code: 'custom', message: `${field} ${fault}` })
  })

/** Name of an application, one of the account's. */
export const applicationName = () =>
  text('name', 32)
    .regex(
      APPLICATION_RULES.name,
      'name must be 1 to 32 of a-z, 0-9 and "-", and begin with a letter.',
    )
    .describe('1-32 of a-z, 0-9 and -, a letter first; it stays.')

/** Variables by name, each value judged with its name in the message. */
const variables = <Value extends z.ZodType>(field: string, value: Value) =>
  z.record(z.string(), value, { error: `${field} must be an object of texts by name.` })

/** Throws 400 naming `field` for names or values that no variable can have. */
export const assertVariables = (
  field: string,
  variables: Readonly<Record<string, string | null>>,
): void => {
  const present: Record<string, string> = {}
  for (const [name, value] of Object.entries(variables)) {
    const fault = variableNameFault(name)
    if (fault !== null)
      throw invalid(field, `${field}: the name ${JSON.stringify(name.slice(0, 140))} ${fault}`)
    const wrong = value === null ? null : variableValueFault(value)
    if (wrong !== null) throw invalid(field, `${field}: the value of ${name} ${wrong}`)
    present[name] = value ?? ''
  }
  const fault = environmentFault(present)
  if (fault !== null) throw invalid(field, `${field} ${fault}`)
}

/** New secret variables. */
export const newSecrets = () =>
  variables('secrets', z.string({ error: 'secrets must be texts by name.' })).describe(
    'Variables that the host keeps and nobody is told again.',
  )

/** A change of secret variables. */
export const secretChange = () =>
  variables(
    'secrets',
    z.string({ error: 'secrets must be texts by name, or null.' }).nullable(),
  ).describe('By name; null removes one, what is absent stays.')

/** Fields of an application but its name and secrets. */
export const applicationFields = {
  folder: text('folder', 4095).describe(
    "Below the home, e.g. apps/shop; it is made where it is missing. The application's lines run in it.",
  ),
  source_url: text('source_url', 1000)
    .superRefine((url, context) => {
      const source = parseGitUrl(url)
      if (typeof source === 'string')
        context.addIssue({ code: 'custom', message: `source_url ${source}` })
    })
    .nullable()
    .describe(
      'Repository that it is made from: https://, or ssh:// with the deploy key. Each deployment fetches it into a release of its own below releases, where its lines run. Its submodules come along. Null: what lies in its folder.',
    ),
  source_branch: text('source_branch', 200)
    .refine((ref) => gitRefFault(ref) === null, 'source_branch is not the name of a branch or tag.')
    .nullable()
    .describe("Branch or tag; null: the repository's own."),
  source_push: z
    .boolean({ error: 'source_push must be true or false.' })
    .describe(
      'Whether it is made from a repository of its own on this host, to which one pushes with git; source_url is null then. A push to source_branch (null: main) deploys it.',
    ),
  runtime_kind: oneOf('runtime_kind', RUNTIME_KINDS).describe(
    'Whose programs come first in PATH; none: those of the host.',
  ),
  runtime_version: text('runtime_version', 20)
    .regex(APPLICATION_RULES.version, 'runtime_version must be a version such as 24.21.0.')
    .nullable()
    .describe('As GET /api/applications/runtimes lists it; null: the newest.'),
  install_command: line('install_command')
    .nullable()
    .describe('Line for sh that brings what it needs, e.g. npm ci; null: nothing.'),
  build_command: line('build_command')
    .nullable()
    .describe('Line for sh that makes what runs, e.g. npm run build; null: nothing.'),
  start_command: line('start_command')
    .nullable()
    .describe(
      'Line for sh that runs it in the foreground, e.g. node server.js; null: a site, whose releases are served as files and by PHP.',
    ),
  public_folder: text('public_folder', 300)
    .superRefine(judgedBy(publicFolderFault, 'public_folder'))
    .describe('Of a site: the folder of a release that is served, e.g. public; empty: all of it.'),
  shared_paths: z
    .array(text('shared_paths', 301).superRefine(judgedBy(sharedPathFault, 'shared_paths')), {
      error: 'shared_paths must be a list of paths.',
    })
    .superRefine(judgedBy(sharedPathsFault, 'shared_paths'))
    .describe(
      'Files and folders that releases have in common, e.g. .env and storage/; they lie in shared of its folder. A slash at the end: a folder, which is made.',
    ),
  environment: variables(
    'environment',
    z.string({ error: 'environment must be texts by name.' }),
  ).describe('Variables by name, which everybody who may see the application can read.'),
  listen: oneOf('listen', LISTENS).describe(
    'Where it listens: socket at the path in SOCKET and PORT, port at 127.0.0.1 and the number in PORT.',
  ),
  health_path: text('health_path', 1024)
    .regex(APPLICATION_RULES.healthPath, 'health_path must be a path such as /health.')
    .nullable()
    .describe(
      'Asked before visitors are sent to it, must answer 200 to 399; null: it is enough that it listens.',
    ),
  start_limit_secs: whole('start_limit_secs', APPLICATION_RULES.startLimitSecs).describe(
    'Seconds that it may take until it answers.',
  ),
  restart: oneOf('restart', RESTARTS).describe('What happens when it ends by itself.'),
  instances: whole('instances', APPLICATION_RULES.instances).describe(
    'How many of its program run beside each other, each with its own SOCKET and PORT and its number, from 1 on, in INSTANCE. Each request goes to one that runs, and is healthy where there is a health path.',
  ),
  memory_mb: whole('memory_mb', APPLICATION_RULES.memoryMb)
    .nullable()
    .describe(
      'Megabytes of each of its instances; null: what the programs of the account may use.',
    ),
  cpu_percent: whole('cpu_percent', APPLICATION_RULES.cpuPercent)
    .nullable()
    .describe(
      'Of one processor, of all its processes together: 50 is half of one, 200 two. It holds also where others idle, within what the plan gives the account, and not while it is installed and built. Null: as much as the account has.',
    ),
  sleep_after_secs: whole('sleep_after_secs', APPLICATION_RULES.sleepAfterSecs)
    .nullable()
    .describe('Without a visitor for so long it is ended until the next one comes; null: never.'),
}

/** What is given of an application's settings, with its folder and repository as they are kept; 400 where something cannot be. */
export const keptSettings = <Given extends Partial<ApplicationSettings>>(given: Given): Given => {
  if (given.environment !== undefined) assertVariables('environment', given.environment)
  const source = typeof given.source_url === 'string' ? parseGitUrl(given.source_url) : null
  return {
    ...given,
    ...(given.folder === undefined ? {} : { folder: parsePathBelowHome(given.folder, 'folder') }),
    ...(source === null || typeof source === 'string' ? {} : { source_url: source.url }),
  }
}

/** 400 for a version where there is no runtime of ours that could have one. */
export const assertRuntime = ({
  runtime_kind,
  runtime_version,
}: Pick<ApplicationSettings, 'runtime_kind' | 'runtime_version'>): void => {
  if (runtime_kind === 'none' && runtime_version !== null)
    throw invalid('runtime_version', 'runtime_version must be null where runtime_kind is none.')
}

/** 400 for a site that nothing would be fetched for. */
export const assertSite = ({
  start_command,
  source_url,
  source_push,
}: Pick<ApplicationSettings, 'start_command' | 'source_url' | 'source_push'>): void => {
  if (source_push && source_url !== null)
    throw invalid('source_push', 'source_push and source_url exclude each other.')
  if (start_command === null && source_url === null && !source_push)
    throw invalid(
      'source_url',
      'source_url must name a repository where start_command is null: a site is served from it.',
    )
}

const sitePath = () =>
  text('paths', 1024).superRefine((path, context) => {
    const isGood =
      APPLICATION_RULES.sitePath.test(path) &&
      !/[?#%\\]|\/\//.test(path) &&
      !path.split('/').some((part) => part === '.' || part === '..')
    if (!isGood)
      context.addIssue({
        code: 'custom',
        message: 'paths must be paths such as /app, without "?", "#", "%" and "..".',
      })
  })

/** Paths of a site, without slash at their ends; null: all. */
export const sitePaths = () =>
  z
    .array(sitePath(), { error: 'paths must be a list of paths, or null.' })
    .min(1, 'paths must name one path at least; null means all.')
    .max(APPLICATION_RULES.maxSitePaths, `paths must be at most ${APPLICATION_RULES.maxSitePaths}.`)
    .nullable()
    .describe('Those that it gets, with what lies below them; null: all.')

/** As it is kept. */
export const keptPaths = (paths: readonly string[] | null): string[] | null => {
  if (paths === null) return null
  const tidy = [...new Set(paths.map((path) => path.replace(/(?<=.)\/$/, '')))].sort()
  return tidy.includes('/') ? null : tidy
}
