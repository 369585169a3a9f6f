import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { waitFor } from '#test/support/waiting/wait-for.ts'
import { createLoginJournal } from '#adapters/node/agent/sftp/sessions/login-journal.ts'

const newJournal = () => {
  const directory = mkdtempSync(join(tmpdir(), 'berth-journal-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  return createLoginJournal(join(directory, 'logins.json'), () => Date.now())
}
/** The number of a process that is gone. */
const gone = async (): Promise<number> => {
  const child = spawn('true')
  await once(child, 'exit')
  return child.pid ?? 0
}

test('a session that is over before anything of it is heard has its changes', async () => {
  const journal = newJournal()
  const [first, second, files] = [await gone(), await gone(), await gone()]
  journal.note('alice', 'alice', { kind: 'began', process: first, keyId: 1 })
  journal.note('alice', 'alice', { kind: 'began', process: second, keyId: 2 })
  journal.note('bobby', 'bobby', { kind: 'began', process: files + 1, keyId: 3 })
  journal.note('alice', 'alice', { kind: 'opened', process: files, address: '192.0.2.1' })
  journal.note('alice', 'alice', { kind: 'changed', process: files, paths: [] })
  await waitFor(() =>
    expect(journal.since(0).map(({ keyId, changes }) => [keyId, changes])).toEqual([
      [1, 0],
      [3, 0],
      [2, 1],
    ]),
  )
  journal.close()
})

test('what a session says last counts, also when it is read after its end', async () => {
  const journal = newJournal()
  const session = spawn('sh', ['-c', 'sleep 60 & echo $!; wait'], { detached: true })
  const [text] = (await once(session.stdout, 'data')) as [Buffer]
  const files = Number(String(text))
  const process = session.pid ?? 0
  const seen = () => journal.since(0)
  journal.note('alice', 'alice', { kind: 'began', process, keyId: 3 })
  journal.note('alice', 'alice', { kind: 'opened', process: files, address: '192.0.2.1' })
  journal.note('alice', 'alice', { kind: 'changed', process: files, paths: [] })
  await waitFor(() => expect(seen()).toMatchObject([{ changes: 1, endedAt: null }]))
  globalThis.process.kill(-process, 'SIGKILL')
  await once(session, 'exit')
  await waitFor(() => expect(seen()[0]?.endedAt).not.toBeNull())
  const known = seen()[0]?.version ?? 0
  expect(journal.since(known)).toEqual([])
  journal.note('alice', 'alice', {
    ...{ kind: 'moved', process: files, writtenBytes: 7, readBytes: 5, paths: [] },
  })
  await waitFor(() =>
    expect(journal.since(known)).toMatchObject([{ receivedBytes: 7, sentBytes: 5, keyId: 3 }]),
  )
  // Another connection with the same number is another log-in.
  journal.note('alice', 'alice', { kind: 'began', process, keyId: null })
  expect(seen().map(({ way }) => way)).toEqual(['key', 'password'])
  journal.close()
})
