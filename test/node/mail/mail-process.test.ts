import { expect, onTestFinished, test } from 'vitest'
import { findProcesses } from '#adapters/node/agent/host/process-facts.ts'
import { createMailProcess } from '#adapters/node/agent/mail/mail-process.ts'
import { completeMail } from '#handlers/domain/config/mail/mail-section.ts'
import { temporaryDirectory } from '#test/support/setups/temporary-directory.ts'
import { waitFor } from '#test/support/waiting/wait-for.ts'

const children = (): number[] =>
  findProcesses(
    (one) => one.parent === process.pid && one.commandLine.includes('/bin/mail.ts'),
  ).map(({ pid }) => pid)

test('a queue that does not serve in time is ended, and the next one serves', async () => {
  const directory = temporaryDirectory('mp-')
  const said: string[] = []
  const note = (text: string): void => void said.push(text)
  const mail = createMailProcess({
    directory: `${directory}/queue`,
    compileCache: `${directory}/cache`,
    asRoot: false,
    findUser: () => null,
    config: () => ({ ...completeMail({}, () => null), hello: 'server.example' }),
    account: () => null,
    onStart: async () => undefined,
    startMs: 5000,
    log: { info: note, warn: note, error: note },
  })
  onTestFinished(() => mail.stop())
  const first = mail.ask('status', null)
  const [pid = 0] = children()
  process.kill(pid, 'SIGSTOP')
  await expect(first).rejects.toThrow('does not answer')
  await waitFor(async () => expect(await mail.ask('status', null)).toBeTypeOf('object'), {
    timeout: 20_000,
  })
  expect(children()).not.toContain(pid)
  expect(said).toContain('the mail process ended and is started again')
})
