import { AsyncLocalStorage } from 'node:async_hooks'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { HostPorts } from '#handlers/ports/host/host.ts'
import type { Turn } from '#handlers/ports/turn.ts'
import { AppError } from '#handlers/errors.ts'
import { killHard } from '../agent/agent-process.ts'
import { createLinkInstance, createTestPanel } from './link-instance.ts'
import type { LinkInstance } from './link-instance.ts'

let host: LinkInstance
let agent: Awaited<ReturnType<LinkInstance['agent']['start']>>
const turns = new AsyncLocalStorage<Turn | null>()
/** The agent's own socket, and the link: what one has seen holds for the other. */
let ways: readonly [local: HostPorts, linked: HostPorts]
beforeAll(async () => {
  host = await createLinkInstance()
  const panel = await createTestPanel('panel-1')
  host.trust([panel])
  agent = await host.agent.start()
  await host.startLink()
  ways = [host.agent.clientIn(turns), host.clientOf(panel, turns)]
})
afterAll(() => host.dispose())

/** What comes of a change of an account that is not there: it is looked for, or the turn has passed. */
const ask = (ports: HostPorts, term: number | null, subject = 'nobody'): Promise<string> => {
  const turn: Turn | null =
    term === null
      ? null
      : {
          ...{ subject, term, isOver: false, outer: null },
          raise: (above) => Promise.reject(new AppError(503, `overtaken by ${String(above)}`)),
        }
  return turns.run(turn, () =>
    ports.users.suspend({ operationId: crypto.randomUUID(), username: 'nobody' }).then(
      () => 'done',
      (error: unknown) =>
        error instanceof AppError && error.status === 404 ? 'looked for' : String(error),
    ),
  )
}

it('keeps the latest turn over both ways, and over a death of the agent', async () => {
  const [local, linked] = ways
  expect(await ask(local, 5)).toBe('looked for')
  expect(await ask(linked, 7)).toBe('looked for')
  for (const way of ways) {
    expect(await ask(way, 6)).toContain('overtaken by 7')
    expect(await ask(way, 7)).toBe('looked for')
    expect(await ask(way, 3, 'somebody else')).toBe('looked for')
    // A panel that is alone with its records holds no lease.
    expect(await ask(way, null)).toBe('looked for')
  }
  await killHard(agent.child)
  expect((await host.agent.start()).said).toEqual({ type: 'ready' })
  for (const way of ways) expect(await ask(way, 6)).toContain('overtaken by 7')
  expect(await ask(linked, 8)).toBe('looked for')
  expect(await ask(local, 7)).toContain('overtaken by 8')
})
