import http from 'node:http'
import https from 'node:https'
import type { SiteInit, SiteResponse } from './instance-types.ts'

interface Ports {
  http: number
  https: number
}

const joined = (raw: readonly string[]): Pick<SiteResponse, 'headers' | 'setCookies'> => {
  const headers: Record<string, string> = {}
  const setCookies: string[] = []
  for (let n = 0; n + 1 < raw.length; n += 2) {
    const name = (raw[n] ?? '').toLowerCase()
    const value = raw[n + 1] ?? ''
    if (name === 'set-cookie') setCookies.push(value)
    headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`
  }
  return { headers, setCookies }
}

const send = (
  ports: Ports,
  host: string,
  path: string,
  init: SiteInit,
  agent: http.Agent | false,
): Promise<SiteResponse> =>
  new Promise((resolve, reject) => {
    const options = {
      host: '127.0.0.1',
      port: init.secure ? ports.https : ports.http,
      method: init.method ?? 'GET',
      path,
      headers: { Host: host, ...init.headers },
      agent,
      timeout: init.timeoutMs ?? 60_000,
    }
    const request = init.secure
      ? https.request({ ...options, agent: false, servername: host, rejectUnauthorized: false })
      : http.request(options)
    request.on('error', reject)
    request.on('timeout', () => request.destroy(new Error(`${host}${path}: no answer in time`)))
    request.on('response', (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const body = Buffer.concat(chunks)
        resolve({
          status: response.statusCode ?? 0,
          ...joined(response.rawHeaders),
          body,
          text: body.toString('utf8'),
        })
      })
    })
    request.end(init.body)
  })

/** One request to a site on a connection of its own. The path is sent as it is given. */
export const requestSite = (
  ports: Ports,
  host: string,
  path: string,
  init: SiteInit = {},
): Promise<SiteResponse> => send(ports, host, path, init, false)

/** One connection that is kept between requests. */
export const openKeptConnection = (
  ports: Ports,
  host: string,
): { get(path: string): Promise<SiteResponse>; close(): void } => {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
  return { get: (path) => send(ports, host, path, {}, agent), close: () => agent.destroy() }
}
