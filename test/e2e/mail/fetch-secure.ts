import { request } from 'node:https'

/**
 * As `fetch`, over https of 127.0.0.1 at the address's port, for a name that is in no DNS and has
 * a certificate of its own making.
 */
export const fetchSecure = (url: URL, init: RequestInit = {}): Promise<Response> =>
  new Promise((resolve, reject) => {
    const { method = 'GET', body } = init
    const outgoing = request(
      {
        ...{ host: '127.0.0.1', port: url.port, path: `${url.pathname}${url.search}`, method },
        ...{ servername: url.hostname, rejectUnauthorized: false, agent: false },
        headers: { host: url.host, ...Object.fromEntries(new Headers(init.headers)) },
      },
      (incoming) => {
        const pieces: Buffer[] = []
        incoming.on('data', (piece: Buffer) => pieces.push(piece))
        incoming.on('error', reject)
        incoming.on('end', () => {
          const headers = new Headers()
          for (const [name, value] of Object.entries(incoming.headers))
            for (const one of [value ?? []].flat()) headers.append(name, one)
          resolve(
            new Response(Buffer.concat(pieces), { status: incoming.statusCode ?? 0, headers }),
          )
        })
      },
    )
    outgoing.on('error', reject)
    outgoing.end(typeof body === 'string' ? body : undefined)
  })
