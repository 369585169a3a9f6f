import { afterAll, beforeAll, beforeEach, describe } from 'vitest'
import { responsesSuite } from './responses.ts'
import { bodiesSuite } from './bodies.ts'
import { failuresSuite } from './failures.ts'
import { MODES } from './modes.ts'
import { startModeSites, type ModeSites } from './start-mode-site.ts'
import { variablesSuite } from './variables.ts'

let sites: ModeSites
beforeAll(async () => {
  sites = await startModeSites(MODES.filter(({ missing }) => missing === undefined))
})
afterAll(() => sites?.stop())

describe.each(MODES)('PHP mode $mode', ({ mode, missing }) => {
  beforeEach((context) => context.skip(missing !== undefined, missing))
  const site = () => sites.site(mode)

  describe('variables', () => variablesSuite(site))
  describe('request bodies', () => bodiesSuite(site))
  describe('answers', () => responsesSuite(site))
  describe('failures', () => failuresSuite(site))
})
