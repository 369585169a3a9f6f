import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** An application that says its name and what it was asked, redirects to where `x-leads` says, at its own address, and sets the cookie of `x-sets`. */
export const startEcho = async (
  name: string,
): Promise<{ port: number; stop: () => Promise<void> }> => {
  const server = createServer((message, out) => {
    const { 'x-own': own = '', 'x-leads': leads, 'x-sets': sets, host = '' } = message.headers
    if (message.url?.startsWith('/fails') === true) out.statusCode = 503
    if (typeof sets === 'string') out.setHeader('set-cookie', sets)
    if (typeof leads === 'string')
      out.writeHead(302, { location: leads.replace('OWN', `http://${host}`) })
    else out.setHeader('content-type', 'text/plain')
    out.end(`${name} ${message.method ?? ''} ${message.url ?? ''} ${String(own)}`)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', () => done()))
  return {
    port: (server.address() as AddressInfo).port,
    stop: () =>
      new Promise((done) => {
        server.close(() => done())
        server.closeAllConnections()
      }),
  }
}
