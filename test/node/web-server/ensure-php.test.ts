import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createEnsurePhp } from '#adapters/node/web-server/ensure-php.ts'
import { parseServerConfig } from '#handlers/domain/config/server-config.ts'
import { createVirtualHostTable } from '#handlers/sites/names/virtual-host-table.ts'
import { directory, makeDirectory } from '#test/support/setups/temporary-directory.ts'

let server: Server
let asked: number
/** What the agent does with a question, by its number from 1 on. */
let breaks: (question: number) => boolean
beforeEach(() => {
  makeDirectory()
  asked = 0
  breaks = () => false
  server = createServer((request, response) => {
    if (breaks(++asked)) return void request.socket.destroy()
    response.end(
      JSON.stringify({ ok: true, data: { socket: '/run/x.sock', uid: 1234, protocol: 'fastcgi' } }),
    )
  })
})
afterEach(async () => {
  await new Promise((resolve) => server.close(resolve))
})

const listen = (): Promise<void> =>
  new Promise((resolve) => server.listen(join(directory, 'agent-web.sock'), () => resolve()))
const ensure = (absentMs?: number): Promise<{ socket: string }> => {
  const text = `[paths]\nrun_dir = "${directory}"`
  const { config } = parseServerConfig({ file: join(directory, 'b.toml'), text, root: false })
  return createEnsurePhp(config, () => createVirtualHostTable([]), absentMs)('a.test')
}

test('an agent that is being started again is waited for', async () => {
  const answer = ensure()
  await new Promise((resolve) => setTimeout(resolve, 350))
  await listen()
  expect(await answer).toMatchObject({ socket: '/run/x.sock', uid: 1234 })
  expect(asked).toBe(1)
})

test('one that ends before it answered is asked again', async () => {
  breaks = (question) => question <= 2
  await listen()
  expect(await ensure()).toMatchObject({ socket: '/run/x.sock' })
  expect(asked).toBe(3)
})

test('one that does not come back is given up, as 503', async () => {
  await expect(ensure(300)).rejects.toMatchObject({ name: 'AppError', status: 503 })
  await listen()
})
