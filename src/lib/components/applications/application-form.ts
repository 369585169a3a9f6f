import type { Application } from '../../api/types.ts'

/** What an application is: a program with its runtime, or a site, of which nothing runs. */
export type Kind = Application['runtime_kind'] | 'site'

/** The kind of one that there is. */
export const kindOf = (application: Application): Kind =>
  application.start_command === null ? 'site' : application.runtime_kind

/** Whether nothing of it runs: it is a site, or still served as one. */
export const isSite = ({ start_command, site_root }: Application): boolean =>
  start_command === null || site_root !== null

/** Lines that are usual for a kind of application. */
export const PRESETS: Readonly<Record<Kind, { install: string; start: string }>> = {
  node: { install: 'npm install', start: 'node server.js' },
  python: {
    install: 'python3 -m venv .venv && .venv/bin/pip install -r requirements.txt',
    start: '.venv/bin/gunicorn --bind unix:$SOCKET app:app',
  },
  none: { install: '', start: '' },
  site: { install: '', start: '' },
}

/** An application's settings as one types them. */
export const applicationForm = (application: Application | null, accountId: string) => ({
  account_id: accountId,
  name: application?.name ?? '',
  kind: application === null ? ('node' as Kind) : kindOf(application),
  /** Of a site: what its lines find first in PATH. */
  runtime_kind: application?.runtime_kind ?? 'node',
  runtime_version: application?.runtime_version ?? '',
  folder: application?.folder ?? '',
  source_push: application?.source_push ?? false,
  source_url: application?.source_url ?? '',
  source_branch: application?.source_branch ?? '',
  install_command:
    application === null ? PRESETS.node.install : (application.install_command ?? ''),
  build_command: application?.build_command ?? '',
  start_command: application === null ? PRESETS.node.start : (application.start_command ?? ''),
  public_folder: application?.public_folder ?? '',
  shared_paths: (application?.shared_paths ?? []).join('\n'),
  listen: application?.listen ?? ('socket' as Application['listen']),
  health_path: application?.health_path ?? '',
  start_limit_secs: String(application?.start_limit_secs ?? 60),
  restart: application?.restart ?? ('always' as Application['restart']),
  instances: String(application?.instances ?? 1),
  memory_mb: String(application?.memory_mb ?? ''),
  cpu_percent: String(application?.cpu_percent ?? ''),
  sleep_after_secs: String(application?.sleep_after_secs ?? ''),
})

export type ApplicationForm = ReturnType<typeof applicationForm>

/** What changes with another kind: lines that nobody has touched, and the version of the former one. */
export const withKind = (
  values: ApplicationForm,
  from: Kind,
  to: Kind,
): Partial<ApplicationForm> => ({
  runtime_version: '',
  ...(values.install_command === PRESETS[from].install
    ? { install_command: PRESETS[to].install }
    : {}),
  ...(values.start_command === PRESETS[from].start ? { start_command: PRESETS[to].start } : {}),
})

const textOrNull = (text: string): string | null => text.trim() || null
const numberOrNull = (text: string): number | null => (text.trim() === '' ? null : Number(text))

/** One a line. */
export const sharedPathsOf = (text: string): string[] =>
  text.split(/\r?\n/).flatMap((line) => (line.trim() === '' ? [] : [line.trim()]))

/** An application as the API takes it. */
export const applicationBody = (values: ApplicationForm) => ({
  ...(values.folder.trim() === '' ? {} : { folder: values.folder.trim() }),
  source_push: values.source_push,
  source_url: values.source_push ? null : textOrNull(values.source_url),
  source_branch: textOrNull(values.source_branch),
  runtime_kind: values.kind === 'site' ? values.runtime_kind : values.kind,
  runtime_version: values.runtime_version || null,
  install_command: textOrNull(values.install_command),
  build_command: textOrNull(values.build_command),
  start_command: values.kind === 'site' ? null : values.start_command.trim(),
  public_folder: values.public_folder.trim(),
  shared_paths: sharedPathsOf(values.shared_paths),
  listen: values.listen,
  health_path: textOrNull(values.health_path),
  start_limit_secs: Number(values.start_limit_secs),
  restart: values.restart,
  instances: Number(values.instances),
  memory_mb: numberOrNull(values.memory_mb),
  cpu_percent: numberOrNull(values.cpu_percent),
  sleep_after_secs: numberOrNull(values.sleep_after_secs),
})

/** Variables as lines; those whose values have line breaks stand in none. */
export const variableLines = (environment: Readonly<Record<string, string>>): string =>
  Object.entries(environment)
    .filter(([, value]) => !/[\r\n]/.test(value))
    .map(([name, value]) => `${name}=${value}`)
    .join('\n')

/** The first line that is no variable; null: all are. */
export const badVariableLine = (text: string): string | null =>
  text.split(/\r?\n/).find((line) => line.trim() !== '' && !/^[A-Za-z_]\w{0,127}=/.test(line)) ??
  null

/** The variables of lines, with those of `known` that no line can hold. */
export const variablesOf = (
  text: string,
  known: Readonly<Record<string, string>>,
): Record<string, string> => ({
  ...Object.fromEntries(Object.entries(known).filter(([, value]) => /[\r\n]/.test(value))),
  ...Object.fromEntries(
    text
      .split(/\r?\n/)
      .filter((line) => line.trim() !== '')
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  ),
})
