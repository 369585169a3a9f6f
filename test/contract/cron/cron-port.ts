import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { CronPort, CronProgram, CronRunState } from '#handlers/ports/host/cron.ts'

/** A port with one account; `program` answers what exits with `code` after it wrote `output`, `lasting` what does not end. */
export interface CronPortSubject {
  cron: CronPort
  username: string
  suspend(): Promise<void>
  program(output: string, code: number): CronProgram
  lasting: CronProgram
  dispose(): Promise<void>
}

/** Asks until the run has ended. */
export const endOf = async (cron: CronPort, runId: string): Promise<CronRunState> => {
  for (;;) {
    const state = await cron.wait({ runId })
    if (state.state !== 'running') return state
  }
}

/** What every implementation of `CronPort` keeps to. */
export const cronPortContract = (label: string, create: () => Promise<CronPortSubject>): void => {
  describe(`CronPort: ${label}`, () => {
    let subject: CronPortSubject
    beforeAll(async () => {
      subject = await create()
    })
    afterAll(() => subject.dispose())
    const start = (runId: string, program: CronProgram, timeLimitSecs = 60): Promise<void> =>
      subject.cron.start({
        runId,
        username: subject.username,
        program,
        phpVersion: null,
        timeZone: 'UTC',
        timeLimitSecs,
      })

    it('runs a program to its end and tells what it wrote', async () => {
      await start('c-1', subject.program('first\nsecond\n', 0))
      expect(await endOf(subject.cron, 'c-1')).toEqual({
        state: 'ended',
        code: 0,
        ended: null,
        output: 'first\nsecond\n',
      })
    })
    it('tells the code of one that fails', async () => {
      await start('c-2', subject.program('no', 7))
      expect(await endOf(subject.cron, 'c-2')).toMatchObject({ code: 7, ended: null, output: 'no' })
    })
    it('begins a run once, however often it is told to', async () => {
      await Promise.all([1, 2, 3].map(() => start('c-3', subject.program('x', 0))))
      expect(await endOf(subject.cron, 'c-3')).toMatchObject({ output: 'x' })
      await start('c-3', subject.program('y', 0))
      expect(await endOf(subject.cron, 'c-3')).toMatchObject({ output: 'x' })
    })
    it('ends what takes too long', async () => {
      await start('c-4', subject.lasting, 1)
      expect(await endOf(subject.cron, 'c-4')).toMatchObject({ state: 'ended', ended: 'timeout' })
    })
    it('ends a run on request', async () => {
      await start('c-5', subject.lasting)
      await subject.cron.stop({ runId: 'c-5' })
      expect(await endOf(subject.cron, 'c-5')).toMatchObject({ state: 'ended', ended: 'stopped' })
      await subject.cron.stop({ runId: 'c-5' })
      await subject.cron.stop({ runId: 'never' })
    })
    it('knows nothing of a run that never was', async () => {
      expect(await subject.cron.wait({ runId: 'never' })).toMatchObject({ state: 'unknown' })
    })
    it('runs nothing for accounts that are not there or suspended', async () => {
      const order = { program: subject.program('x', 0), phpVersion: null, timeZone: 'UTC' }
      const nobody = { ...order, runId: 'c-6', username: 'nobodyatall', timeLimitSecs: 5 }
      await expect(subject.cron.start(nobody)).rejects.toMatchObject({ status: 404 })
      await subject.suspend()
      await expect(start('c-7', subject.program('x', 0))).rejects.toMatchObject({ status: 409 })
    })
  })
}
