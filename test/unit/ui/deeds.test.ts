import { expect, test } from 'vitest'
import { changesSomething } from '#handlers/panel/access/policy.ts'
import type { PanelDeps } from '#handlers/panel/deps.ts'
import { allRoutes } from '#handlers/panel/routes.ts'
import type { Services } from '#handlers/services/services.ts'
import { withinSentence } from '../../../src/lib/components/dashboard/within-sentence.ts'
import { DEEDS } from '../../../src/lib/texts/de/shell/deeds.ts'

/** What is noted beside routes, or by routes that anybody may use. */
const NOTED_ELSEWHERE = [
  ...['Logs in', 'Logs in with a passkey', 'Logs out', 'Creates the first administrator'],
  ...['Answers an invitation as somebody new', 'Sets the version of an account, among others'],
  'Asks for a deployment after a push',
  'Hands over what a panel needs that joins',
]
/** The table only; nothing in it is called. */
const told = allRoutes({} as PanelDeps, {} as Services)
  .filter((route) => 'action' in route && changesSomething(route))
  .map(({ summary }) => summary)

test('everything that the log may say has German words, and nothing else has', () => {
  const all = new Set([...told, ...NOTED_ELSEWHERE])
  expect([...all].filter((summary) => !DEEDS.has(summary))).toEqual([])
  expect([...DEEDS.keys()].filter((summary) => !all.has(summary))).toEqual([])
})

test('each goes on behind the name of who did it', () => {
  for (const german of DEEDS.values()) expect(german).toMatch(/^[A-ZÄÖÜ][^.]*$/)
  expect(withinSentence('Legt ein Konto an')).toBe('legt ein Konto an')
  expect(withinSentence('')).toBe('')
})
