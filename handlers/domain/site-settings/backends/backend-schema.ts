import { z } from 'zod'
import { APPLICATION_RULES } from '../../applications/application-rules.ts'
import { parseProxyUpstream } from '../../upstreams/proxy-upstream.ts'
import { internetTargetProblem } from '../../upstreams/internet-target.ts'
import { passedPath } from '../passed-path.ts'

/** Backends of a site. */
export const MAX_BACKENDS = 20
/** Servers of one backend. */
export const MAX_SERVERS = 16

const MAX_URL = 300
/** A bad value is said by one rule, in words for people. */
const yesNo = (name: string) => z.boolean({ error: `${name} must be true or false.` })

const serverProblem = (url: string): string | null => {
  // Parsers of addresses leave line breaks and tabs out.
  if (!/^[\x21-\x7e]+$/.test(url)) return 'must be plain ASCII without blanks.'
  const target = parseProxyUpstream(url)
  if (typeof target === 'string') return target
  return target.kind === 'unix' ? 'must be an http or https address.' : null
}

const server = z.strictObject({
  url: z
    .string({ error: 'url must be a text.' })
    .max(MAX_URL, `url must be at most ${MAX_URL} characters.`)
    .superRefine((url, context) => {
      const problem = serverProblem(url)
      if (problem !== null) context.addIssue({ code: 'custom', message: `url ${problem}` })
    })
    .describe('https://app.example.com, or http with host and port; no path.'),
  weight: z
    .int({ error: 'weight must be a whole number.' })
    .min(1, 'weight must be at least 1.')
    .max(100, 'weight must be at most 100.')
    .default(1)
    .describe('Its share of the requests beside the others.'),
})

/** Fields of a backend. */
export const siteBackendShape = {
  path: passedPath('path').describe(
    'Path, decoded, with all below it; / is the whole site. Of several the longest that fits answers.',
  ),
  replace_prefix: passedPath('replace_prefix')
    .nullable()
    .default(null)
    .describe(
      'Path at the backend that stands in place of path; redirects and cookies are mapped back. Null: the same.',
    ),
  application: z
    .string({ error: 'application must be a text.' })
    .regex(APPLICATION_RULES.name, 'application must be the name of an application.')
    .nullable()
    .default(null)
    .describe("One of the account's applications, with all its instances; null: servers."),
  servers: z
    .array(server, { error: 'servers must be a list.' })
    .max(MAX_SERVERS, `servers must have at most ${MAX_SERVERS} entries.`)
    .default([])
    .describe('Where it is asked.'),
  internal: yesNo('internal')
    .default(false)
    .describe(
      'Whether servers may lie anywhere: on this machine, in private networks. For administrators; otherwise they must lie in the internet, and what their names lead to is judged for each connection.',
    ),
  health_path: z
    .string({ error: 'health_path must be a text.' })
    .regex(/^\/(?!\/)[\x21-\x7e]{0,1023}$/, 'health_path must be a path such as /health.')
    .nullable()
    .default(null)
    .describe(
      'Asked of each server; one whose status is not below 400 gets no requests. Null: not asked.',
    ),
  preserve_host: yesNo('preserve_host')
    .default(false)
    .describe(
      "Whether servers get the visitor's Host instead of their own; applications always do.",
    ),
  websocket: yesNo('websocket').default(true),
  verify_tls: yesNo('verify_tls')
    .default(true)
    .describe('Whether certificates of https servers are checked.'),
} as const

/** A backend whole, with what fields say of one another. */
export const siteBackend = z.strictObject(siteBackendShape).superRefine((backend, context) => {
  const add = (path: (string | number)[], message: string): void =>
    context.addIssue({ code: 'custom', path, message })
  const { application, servers, internal, health_path } = backend
  if (application === null && servers.length === 0)
    add(['servers'], 'servers must name a server, or application one of the account’s.')
  if (application !== null && servers.length > 0)
    add(['servers'], 'servers must be empty beside application.')
  if (application !== null && health_path !== null)
    add(['health_path'], 'health_path is that of the application itself.')
  const seen = new Set<string>()
  for (const [at, { url }] of servers.entries()) {
    // Told already.
    if (serverProblem(url) !== null) continue
    const problem = internal ? null : internetTargetProblem(url)
    if (problem !== null)
      add(['servers', at, 'url'], `url ${problem} An administrator can set one that is internal.`)
    const { origin } = new URL(url)
    if (seen.has(origin)) add(['servers', at, 'url'], `url ${origin} is named twice.`)
    seen.add(origin)
  }
})
