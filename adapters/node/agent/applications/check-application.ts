import {
  APPLICATION_RULES,
  environmentFault,
  lineFault,
  variableNameFault,
  variableValueFault,
} from '#handlers/domain/applications/application-rules.ts'
import { gitRefFault, RELEASE_NAME } from '#handlers/domain/applications/git-url.ts'
import { parsePathBelowHome } from '#handlers/domain/files/home-path.ts'
import { invalid } from '#handlers/errors.ts'
import type { ApplicationSpec, SecretChange } from '#handlers/ports/host/applications.ts'

/** 400 for a name that no application can have. */
export const checkApplicationName = (name: string): void => {
  if (!APPLICATION_RULES.name.test(name))
    throw invalid(
      'name',
      'name is not usable: it has 1 to 32 of a-z, 0-9 and "-", and begins with a letter.',
    )
}

/** Variables of a change laid over those that there are. */
export const changedSecrets = (
  before: Readonly<Record<string, string>>,
  change: SecretChange,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries({ ...before, ...change }).flatMap(([name, value]) =>
      value === null ? [] : [[name, value] as const],
    ),
  )

const checkVariables = (field: string, variables: Readonly<Record<string, string>>): void => {
  for (const [name, value] of Object.entries(variables)) {
    const fault = variableNameFault(name)
    if (fault !== null)
      throw invalid(field, `${field}: the name ${JSON.stringify(name.slice(0, 40))} ${fault}`)
    const wrong = variableValueFault(value)
    if (wrong !== null) throw invalid(field, `${field}: the value of ${name} ${wrong}`)
  }
}

/** Throws 400 for an application that cannot be; answers it with its folder in one spelling. */
export const checkApplication = (
  spec: ApplicationSpec,
  secrets: Readonly<Record<string, string>>,
): ApplicationSpec => {
  checkApplicationName(spec.name)
  const { start, environment, healthPath } = spec
  const fault = start === null ? null : lineFault(start)
  if (fault !== null) throw invalid('start', `start ${fault}`)
  checkVariables('environment', environment)
  checkVariables('secrets', secrets)
  const both = Object.keys(secrets).find((name) => Object.hasOwn(environment, name))
  if (both !== undefined)
    throw invalid('environment', `environment and secrets both have ${both}. Remove one of them.`)
  const tooMany = environmentFault({ ...environment, ...secrets })
  if (tooMany !== null) throw invalid('environment', `environment with its secrets ${tooMany}`)
  if (healthPath !== null && !APPLICATION_RULES.healthPath.test(healthPath))
    throw invalid('health_path', 'health_path must begin with "/" and have no blanks.')
  if (spec.repository !== undefined && gitRefFault(spec.repository.branch) !== null)
    throw invalid('branch', 'branch is not the name of a branch.')
  if (spec.release !== undefined && !RELEASE_NAME.test(spec.release))
    throw invalid('release', 'release is not the name of one.')
  return { ...spec, folder: parsePathBelowHome(spec.folder, 'folder') }
}
