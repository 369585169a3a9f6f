import { createServer, request } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'

/** A forward proxy that is heard on one address. */
export interface ForwardProxy {
  port: number
  close(): Promise<void>
}

/**
 * An HTTP proxy (requests with whole URLs, and CONNECT), through which apt and npm
 * reach their servers from a machine in a network of its own.
 */
export const startForwardProxy = async (address: string): Promise<ForwardProxy> => {
  const open = new Set<Duplex>()
  const server = createServer((incoming, answer) => {
    const outgoing = request(
      incoming.url ?? '',
      { method: incoming.method, headers: incoming.headers },
      (response) => {
        answer.writeHead(response.statusCode ?? 502, response.headers)
        response.pipe(answer)
      },
    )
    outgoing.on('error', () => answer.destroy())
    incoming.pipe(outgoing)
  })
  server.on('connection', (socket) => {
    open.add(socket)
    socket.on('close', () => open.delete(socket))
  })
  server.on('connect', (incoming, client: Duplex, head: Buffer) => {
    const { hostname, port } = new URL(`http://${incoming.url}`)
    const upstream = connect(Number(port || 443), hostname, () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n')
      upstream.write(head)
      upstream.pipe(client).pipe(upstream)
    })
    open.add(upstream)
    upstream.on('close', () => open.delete(upstream))
    client.on('close', () => upstream.destroy())
    upstream.on('error', () => client.destroy())
    client.on('error', () => upstream.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, address, resolve))
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of open) socket.destroy()
      }),
  }
}
