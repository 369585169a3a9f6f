import { APPLICATION_RULES, lineFault } from '#handlers/domain/applications/application-rules.ts'
import { gitRefFault, parseGitUrl } from '#handlers/domain/applications/git-url.ts'
import {
  publicFolderFault,
  sharedPathFault,
  sharedPathsFault,
} from '#handlers/domain/applications/release-paths.ts'
import type { ApplicationRuntimes } from '$lib/api/types'
import { required } from '$lib/state/forms/checks'
import type { Field } from '$lib/state/forms/field'
import { texts } from '$lib/texts'
import { sharedPathsOf, type ApplicationForm } from './application-form'

const wholeOrEmpty =
  ([least, most]: readonly [number, number], empty: boolean) =>
  (text: string): string | null => {
    if (text.trim() === '') return empty ? null : required('')
    const value = /^\d{1,9}$/.test(text.trim()) ? Number(text) : -1
    return value >= least && value <= most ? null : texts.applications.form.bad(least, most)
  }
const line = (text: string): string | null =>
  text.trim() !== '' && lineFault(text) !== null ? texts.applications.form.lineBad : null
const choices = <Value extends string>(labels: Readonly<Record<Value, string>>) =>
  (Object.keys(labels) as Value[]).map((value) => ({ value, label: labels[value] }))

/** Controls of an application; `isNew` has its name too. */
export const applicationFields = (
  values: ApplicationForm,
  isNew: boolean,
  runtimes: ApplicationRuntimes | null,
): readonly (Field<ApplicationForm> | false)[] => {
  const t = texts.applications.form
  const rules = APPLICATION_RULES
  const { kind } = values
  const isSite = kind === 'site'
  const isFetched = values.source_push || values.source_url.trim() !== ''
  const runtime = isSite ? values.runtime_kind : kind
  const versions = runtime === 'none' ? [] : (runtimes?.[runtime] ?? [])
  return [
    isNew && {
      name: 'name',
      label: t.name,
      help: t.nameHelp,
      mono: true,
      maxlength: 32,
      check: (name) => required(name) ?? (rules.name.test(name.trim()) ? null : t.nameBad),
    },
    {
      name: 'kind',
      kind: 'choice',
      label: t.preset,
      help: t.presetHelp[kind],
      options: choices(t.presets),
    },
    runtime !== 'none' && {
      name: 'runtime_version',
      kind: 'choice',
      label: isSite ? t.siteVersion[runtime] : t.version,
      options: [
        { value: '', label: t.newest },
        ...[...new Set([...versions, values.runtime_version])]
          .filter((version) => version !== '')
          .map((version) => ({ value: version, label: version })),
      ],
    },
    {
      name: 'folder',
      label: t.folder,
      help: t.folderHelp,
      mono: true,
      placeholder: `apps/${values.name.trim()}`,
      ...(isNew ? {} : { check: required }),
    },
    { name: 'source_push', kind: 'switch', label: t.push, help: t.pushHelp },
    !values.source_push && {
      name: 'source_url',
      label: t.source,
      help: isSite ? t.siteSourceHelp : t.sourceHelp,
      mono: true,
      placeholder: 'https://example.com/team/shop.git',
      check: (url) =>
        (isSite ? required(url) : null) ??
        (url.trim() === '' || typeof parseGitUrl(url.trim()) !== 'string' ? null : t.sourceBad),
    },
    isFetched && {
      name: 'source_branch',
      label: t.branch,
      help: values.source_push ? t.pushBranchHelp : t.branchHelp,
      mono: true,
      check: (ref) => (ref.trim() === '' || gitRefFault(ref.trim()) === null ? null : t.branchBad),
    },
    { name: 'install_command', label: t.install, help: t.installHelp, mono: true, check: line },
    { name: 'build_command', label: t.build, help: t.buildHelp, mono: true, check: line },
    isSite && {
      name: 'public_folder',
      label: t.publicFolder,
      help: t.publicFolderHelp,
      mono: true,
      placeholder: 'public',
      check: (folder) => (publicFolderFault(folder.trim()) === null ? null : t.pathBad),
    },
    isFetched && {
      name: 'shared_paths',
      kind: 'lines',
      label: t.shared,
      help: t.sharedHelp,
      rows: 3,
      check: (text) => {
        const paths = sharedPathsOf(text)
        const isGood = paths.every((path) => sharedPathFault(path) === null)
        return isGood && sharedPathsFault(paths) === null ? null : t.pathBad
      },
    },
    ...(isSite ? [] : programFields(t, rules)),
  ]
}

type Texts = typeof texts.applications.form

/** How a program is started and kept running. */
const programFields = (
  t: Texts,
  rules: typeof APPLICATION_RULES,
): readonly Field<ApplicationForm>[] => [
  {
    name: 'start_command',
    label: t.start,
    help: t.startHelp,
    mono: true,
    check: (text) => required(text) ?? line(text),
  },
  {
    name: 'listen',
    kind: 'choice',
    label: t.listen,
    options: choices(t.listens),
    more: true,
  },
  {
    name: 'health_path',
    label: t.health,
    help: t.healthHelp,
    mono: true,
    more: true,
    check: (path) =>
      path.trim() === '' || rules.healthPath.test(path.trim()) ? null : t.healthBad,
  },
  {
    name: 'start_limit_secs',
    label: t.limit,
    help: t.limitHelp,
    inputmode: 'numeric',
    more: true,
    check: wholeOrEmpty(rules.startLimitSecs, false),
  },
  { name: 'restart', kind: 'choice', label: t.restart, options: choices(t.restarts), more: true },
  {
    name: 'instances',
    label: t.instances,
    help: t.instancesHelp,
    inputmode: 'numeric',
    more: true,
    check: wholeOrEmpty(rules.instances, false),
  },
  {
    name: 'memory_mb',
    label: t.memory,
    help: t.memoryHelp,
    inputmode: 'numeric',
    more: true,
    check: wholeOrEmpty(rules.memoryMb, true),
  },
  {
    name: 'cpu_percent',
    label: t.cpu,
    help: t.cpuHelp,
    inputmode: 'numeric',
    more: true,
    check: wholeOrEmpty(rules.cpuPercent, true),
  },
  {
    name: 'sleep_after_secs',
    label: t.sleep,
    help: t.sleepHelp,
    inputmode: 'numeric',
    more: true,
    check: wholeOrEmpty(rules.sleepAfterSecs, true),
  },
]
