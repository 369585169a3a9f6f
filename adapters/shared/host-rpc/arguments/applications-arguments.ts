import { z } from 'zod'
import { publicFolderFault } from '#handlers/domain/applications/release-paths.ts'
import {
  applicationName,
  applicationOf,
  releaseName,
  sharedPaths,
  applicationSpec,
  secretChange,
} from '../application-shapes.ts'
import { nothing, operationId, phpVersion, text, username } from '../argument-shapes.ts'
import type { ArgumentTable } from './argument-table.ts'

/** Shapes of the arguments of methods about applications and cron jobs, by port and method. */
export const APPLICATIONS_ARGUMENTS: Pick<ArgumentTable, 'cron' | 'applications'> = {
  cron: {
    start: z.object({
      runId: operationId,
      username,
      program: z.discriminatedUnion('kind', [
        z.object({ kind: z.literal('command'), argv: z.array(text(4096)).min(1).max(100) }),
        z.object({ kind: z.literal('shell'), line: text(4096) }),
        z.object({
          kind: z.literal('source'),
          url: text(1000).nullable(),
          ref: text(200).nullable(),
          release: releaseName,
        }),
      ]),
      phpVersion: phpVersion.nullable(),
      timeZone: z.string().regex(/^[A-Za-z][A-Za-z0-9_+/-]{0,49}$/),
      timeLimitSecs: z.number().int().min(1).max(86_400),
      application: applicationName.exactOptional(),
      release: releaseName.exactOptional(),
    }),
    wait: z.object({
      runId: operationId,
      patienceMs: z.int().min(100).max(10_000).exactOptional(),
    }),
    stop: z.object({ runId: operationId }),
  },
  applications: {
    runtimes: nothing,
    put: z.object({ spec: applicationSpec, secrets: secretChange }),
    remove: applicationOf,
    deploy: applicationOf,
    stop: applicationOf,
    switch: applicationOf.extend({
      release: releaseName,
      serves: z.string().refine((folder) => publicFolderFault(folder) === null),
      keep: z.array(releaseName).max(100),
    }),
    share: applicationOf.extend({ release: releaseName, paths: sharedPaths }),
    commit: applicationOf.extend({ release: releaseName }),
    pushes: z.object({ done: z.array(z.uuid()).max(1000) }),
    tellPush: z.object({ id: z.uuid(), text: text(70_000), ended: text(4000).nullable() }),
    deployKey: applicationOf,
    states: z.object({ username }),
    log: applicationOf,
  },
}
