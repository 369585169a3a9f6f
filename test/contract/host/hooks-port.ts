import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { HooksPort } from '#handlers/ports/host/hooks.ts'

/** Hooks and a way to lay programs down; one whose name begins with `bad` fails. */
export interface HooksPortSubject {
  hooks: HooksPort
  add(event: string, name: string): Promise<void>
  dispose(): Promise<void>
}

export const hooksPortContract = (name: string, create: () => Promise<HooksPortSubject>): void => {
  describe(`hooks port: ${name}`, () => {
    let subject: HooksPortSubject
    beforeEach(async () => {
      subject = await create()
    })
    afterEach(() => subject.dispose())
    const run = (event: string) => subject.hooks.run({ event, message: '{"id":"event-1"}' })

    it('runs nothing where nothing is', async () => {
      expect(await run('account.created')).toEqual({ ran: 0, failed: [] })
    })
    it('runs all programs of the event and of no other', async () => {
      await subject.add('account.created', '10-one')
      await subject.add('account.created', '20-two')
      await subject.add('account.deleted', '10-other')
      expect(await run('account.created')).toEqual({ ran: 2, failed: [] })
    })
    it('names those that failed, and goes on behind them', async () => {
      await subject.add('backup.failed', 'bad-one')
      await subject.add('backup.failed', 'good')
      expect(await run('backup.failed')).toEqual({ ran: 2, failed: ['bad-one'] })
    })
  })
}
