import { expect, test } from 'vitest'
import type { PanelDeps } from '#handlers/panel/deps.ts'
import { allRoutes } from '#handlers/panel/routes.ts'
import type { Services } from '#handlers/services/services.ts'
import { jobs as german } from '../../../src/lib/texts/de/shell/jobs.ts'
import { jobs as english } from '../../../src/lib/texts/en/shell/jobs.ts'

test.each([
  ['English', english],
  ['German', german],
])('the job centre has a %s text for each kind of job, and for no other', (_language, texts) => {
  const kinds = allRoutes({} as PanelDeps, {} as Services).flatMap((route) =>
    'job' in route && route.job !== undefined ? [route.job.kind] : [],
  )
  expect(Object.keys(texts.kinds).sort()).toEqual([...new Set(kinds)].sort())
})
