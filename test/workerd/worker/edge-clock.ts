import worker from '#adapters/worker/edge/index.ts'
import type { EdgeEnv } from '#adapters/worker/edge/env.ts'

export { PageMarks } from '#adapters/worker/edge/index.ts'

/** Header that says what time it is, in milliseconds; nobody but the tests' own code sends it. */
const NOW = 'x-test-now'

const real = Date.now

/** The Worker before sites, with a clock that each request sets. */
export default {
  fetch(request: Request, env: EdgeEnv): Promise<Response> {
    const headers = new Headers(request.headers)
    const now = Number(headers.get(NOW) ?? real())
    headers.delete(NOW)
    // What clients of the tests add by themselves.
    for (const name of [
      'accept-language',
      'sec-fetch-mode',
      'user-agent',
      'accept-encoding',
      'cache-control',
      'pragma',
    ])
      if (!headers.has(`x-test-${name}`)) headers.delete(name)
      else {
        headers.set(name, headers.get(`x-test-${name}`) ?? '')
        headers.delete(`x-test-${name}`)
      }
    Date.now = () => now
    return worker.fetch(new Request(request, { headers }), env)
  },
}
