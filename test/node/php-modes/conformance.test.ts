import { afterAll, beforeAll, describe } from 'vitest'
import { answersSuite } from './answers.ts'
import { bodiesSuite } from './bodies.ts'
import { failuresSuite } from './failures.ts'
import { MODES } from './modes.ts'
import { startModeSite } from './start-mode-site.ts'
import type { ModeSite } from './start-mode-site.ts'
import { variablesSuite } from './variables.ts'

describe.each(MODES)('PHP mode $mode', (modeCase) => {
  let site: ModeSite
  beforeAll(async () => {
    site = await startModeSite(modeCase)
  })
  afterAll(() => site?.stop())

  describe('variables', () => variablesSuite(() => site))
  describe('request bodies', () => bodiesSuite(() => site))
  describe('answers', () => answersSuite(() => site))
  describe('failures', () => failuresSuite(() => site))
})
