import { expect } from 'vitest'
import type { SiteResponse } from '#test/support/instance-types.ts'
import type { BothServers } from './both-servers.ts'
import type { CaseAsk } from './case-site.ts'
import { comparableResponse } from './comparable-response.ts'
import { differenceFor } from './differences.ts'

/** A request in a few words. */
export const titleOf = ([, target, fields]: CaseAsk): string =>
  fields === undefined ? target : `${target} ${JSON.stringify(fields)}`

/** Asks both servers and compares, save where a difference is wanted; answers what ours said. */
export const expectSame = async (
  servers: BothServers,
  site: string,
  ask: CaseAsk,
): Promise<SiteResponse> => {
  const [status, target, fields] = ask
  const answers = await servers.ask(site, ask)
  const url = `http://${fields?.['host'] ?? `${site}.test`}${target.replace(/^\w+ /, '')}`
  const apache = comparableResponse(answers.apache, url)
  const berth = comparableResponse(answers.berth, url)
  expect(apache.status, 'what Apache is known to answer').toBe(status)
  const difference = differenceFor(site, target)
  if (difference === undefined) {
    expect(berth, titleOf(ask)).toEqual(apache)
    return answers.berth
  }
  expect(berth, difference.reason).not.toEqual(apache)
  expect(berth.status, difference.reason).toBe(difference.status)
  return answers.berth
}
