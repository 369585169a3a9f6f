import { z } from 'zod'
import {
  APPLICATION_RULES,
  environmentFault,
  lineFault,
  variableNameFault,
  variableValueFault,
} from '#handlers/domain/applications/application-rules.ts'
import { sharedPathFault, sharedPathsFault } from '#handlers/domain/applications/release-paths.ts'
import { gitRefFault, RELEASE_NAME } from '#handlers/domain/applications/git-url.ts'

const whole = ([least, most]: readonly [number, number]) => z.number().int().min(least).max(most)
const username = z.string().regex(/^[a-z0-9]{3,16}$/)
const variable = z.string().refine((name) => variableNameFault(name) === null)
const value = z.string().refine((text) => variableValueFault(text) === null)

export const applicationName = z.string().regex(APPLICATION_RULES.name)
/** Of a release. */
export const releaseName = z.string().regex(RELEASE_NAME)
export const applicationOf = z.object({ username, name: applicationName })

/** Of its folder the agent judges where it leads. */
export const applicationSpec = z.object({
  username,
  name: applicationName,
  folder: z
    .string()
    .min(1)
    .max(4095)
    .refine((path) => !path.includes('\0')),
  release: releaseName.exactOptional(),
  repository: z
    .object({ branch: z.string().refine((ref) => gitRefFault(ref) === null) })
    .exactOptional(),
  runtime: z.object({
    kind: z.enum(['node', 'python', 'none']),
    version: z.string().regex(APPLICATION_RULES.version).nullable(),
  }),
  start: z
    .string()
    .refine((line) => lineFault(line) === null)
    .nullable(),
  environment: z.record(variable, value).refine((all) => environmentFault(all) === null),
  listen: z.enum(['socket', 'port']),
  healthPath: z.string().regex(APPLICATION_RULES.healthPath).nullable(),
  startLimitSecs: whole(APPLICATION_RULES.startLimitSecs),
  restart: z.enum(['always', 'on-failure', 'never']),
  instances: whole(APPLICATION_RULES.instances).exactOptional(),
  memoryMb: whole(APPLICATION_RULES.memoryMb).nullable(),
  cpuPercent: whole(APPLICATION_RULES.cpuPercent).exactOptional(),
  sleepAfterSecs: whole(APPLICATION_RULES.sleepAfterSecs).nullable(),
})

/** What releases have in common. */
export const sharedPaths = z
  .array(z.string().refine((path) => sharedPathFault(path) === null))
  .refine((paths) => sharedPathsFault(paths) === null)

export const secretChange = z
  .record(variable, value.nullable())
  .refine((all) => Object.keys(all).length <= APPLICATION_RULES.maxVariables)

/** Which paths of a site are passed on to which application. */
export const siteApplication = z.object({
  name: applicationName,
  paths: z
    .array(z.string().regex(APPLICATION_RULES.sitePath))
    .min(1)
    .max(APPLICATION_RULES.maxSitePaths)
    .nullable(),
  instances: whole(APPLICATION_RULES.instances).exactOptional(),
  healthPath: z.string().regex(APPLICATION_RULES.healthPath).exactOptional(),
})

/** By the application's name. */
export const applicationInstances = z.record(
  applicationName,
  z.object({
    instances: whole(APPLICATION_RULES.instances),
    healthPath: z.string().regex(APPLICATION_RULES.healthPath).exactOptional(),
  }),
)
