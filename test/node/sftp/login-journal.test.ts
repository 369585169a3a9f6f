import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { waitFor } from '#test/support/waiting/wait-for.ts'
import { createLoginJournal } from '#adapters/node/agent/sftp/sessions/login-journal.ts'

test('what a session says last counts, also when it is read after its end', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'berth-journal-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const journal = createLoginJournal(join(directory, 'logins.json'), () => Date.now())
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
