import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { createServer } from 'node:http'

/** The web primary's side of the control socket, as ARCHITECTURE describes it. */
export interface WebStub {
  reloads: number
  restarts: number
  purges: string[][]
  /** Decides about the next reloads: an error text refuses. */
  judge: () => string | null
  /** Reloads wait for this. */
  gate: Promise<void>
  close(): Promise<void>
}

export const startWebStub = async (socketPath: string): Promise<WebStub> => {
  rmSync(socketPath, { force: true })
  const server = createServer((request, response) => {
    const reply = (status: number, body: unknown): void => {
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(JSON.stringify(body))
    }
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      if (request.url === '/reload') {
        stub.reloads += 1
        void stub.gate.then(() => {
          const error = stub.judge()
          reply(
            error === null ? 200 : 422,
            error === null ? { virtual_hosts: 1, workers: 2 } : { error },
          )
        })
      } else if (request.url === '/restart') {
        stub.restarts += 1
        const error = stub.judge()
        reply(error === null ? 200 : 422, error === null ? {} : { error })
      } else if (request.url === '/status')
        reply(200, {
          version: '1.2.3',
          pid: process.pid,
          uptime_secs: 7,
          workers: 2,
          virtual_hosts: 1,
          stalls: [],
        })
      else if (request.url === '/counters')
        reply(200, { run: 'the stub', requests: 9, hits: 4, misses: 3 })
      else if (request.url === '/upstreams') reply(200, { upstreams: [] })
      else if (request.url === '/explain')
        reply(404, { error: 'The web server has no site of that name.' })
      else {
        stub.purges.push(
          (JSON.parse(Buffer.concat(parts).toString()) as { domains: string[] }).domains,
        )
        reply(200, {})
      }
    })
  })
  const stub: WebStub = {
    reloads: 0,
    restarts: 0,
    purges: [],
    judge: () => null,
    gate: Promise.resolve(),
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  server.listen(socketPath)
  await once(server, 'listening')
  return stub
}
