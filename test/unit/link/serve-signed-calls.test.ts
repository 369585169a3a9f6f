import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { serveSignedCalls } from '#adapters/node/agent/link/serve-signed-calls.ts'
import { openRegistry } from '#adapters/node/agent/registry/registry.ts'
import { linkDirectory } from '#adapters/node/layout/link-directory.ts'
import { writeOwnCertificate } from '#adapters/node/link-trust/own-certificate.ts'
import { writeTrust } from '#adapters/node/link-trust/trust-file.ts'
import { unixFetch } from '#adapters/node/process/unix-fetch.ts'
import { createLinkCertificate } from '#adapters/shared/host-rpc/link/link-certificate.ts'
import { createSignedSend } from '#adapters/shared/host-rpc/link/signed-send.ts'
import { createRecordingLog } from '#test/fakes/recording-log.ts'
import { createTestPanel } from '#test/node/link/link-instance.ts'
import { temporaryDirectory } from '#test/support/setups/temporary-directory.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

test('an answer that takes longer than a request is had by the panel all the same', async () => {
  const directory = temporaryDirectory('calls-')
  const paths = { state_dir: directory, run_dir: directory }
  const place = linkDirectory(paths)
  const panel = await createTestPanel('panel-1')
  writeOwnCertificate(place, await createLinkCertificate('host-1', 'server'), null)
  const list = { v: 1, host: 'host-1', role: 'host', version: 1, panels: [panel.entry] } as const
  writeTrust(place, { list: { ...list, panels: [panel.entry] }, forgotten: [] }, null)
  const registry = openRegistry(join(directory, 'registry.db'))
  closing.push(() => registry.close())
  const ran: string[] = []
  const served = await serveSignedCalls({
    ...{ paths, reader: null, registry, log: createRecordingLog(), answerWithinMs: 20 },
    async handler(request) {
      ran.push(new URL(request.url).pathname)
      await new Promise((resolve) => setTimeout(resolve, 150))
      return Response.json({ ok: true, data: 'late' })
    },
  })
  closing.push(() => served.close(0))
  const fetched = unixFetch(join(directory, 'agent-link.sock'))
  const send = createSignedSend({ host: 'host-1', panel: 'panel-1', key: panel.key, send: fetched })
  for (const method of ['users/list', 'users/create']) {
    const asked = new Request(`https://host-1/${method}`, { method: 'POST', body: '{}' })
    expect(await (await send(asked)).json()).toEqual({ ok: true, data: 'late' })
  }
  expect(ran).toEqual(['/users/list', '/users/create'])
})
