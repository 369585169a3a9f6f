import type { Socket } from 'node:net'
import { isPluginField } from '#edge-cache/index.ts'
import {
  parseProxyUpstream,
  type ProxyUpstream,
} from '#handlers/domain/config/proxy/proxy-upstream.ts'
import { OriginError } from '#handlers/sites/origins/php-origin.ts'
import type { ProxyCall, ProxyOrigin } from '#handlers/sites/origins/proxy-origin.ts'
import { shownHost } from '#handlers/sites/names/shown-host.ts'
import { readAway } from '../http1/slow/paced-pieces.ts'
import { QuickResponse } from '../../messages/quick-response.ts'
import { readResponseHead } from './response-head.ts'
import { responseStream } from './response-stream.ts'
import { responseTrailers } from './response-trailers.ts'
import { askUpstream, StaleConnection, type Answered, type Exchange } from './ask-upstream.ts'
import { connectUpstream } from './connect-upstream.ts'
import { forwardedFields } from './forwarded-fields.ts'
import { listedFields } from './hop-by-hop.ts'
import { createKeptConnections } from './kept-connections.ts'
import { requestFields } from './request-fields.ts'

export interface ProxyOriginDeps {
  /** CIDR blocks whose `X-Forwarded-*` is believed. */
  trustedProxies: readonly string[]
  /** Connections of their own to one application, of this process: WebSockets and what may not be sent twice. Default 4096. */
  maxConnections?: number
}

/** Methods that may be sent again when a kept connection broke before a response (RFC 9110, 9.2.2). */
const REPEATABLE = new Set(['GET', 'HEAD', 'OPTIONS'])

const authorityOf = (target: ProxyUpstream): string => {
  if (target.kind === 'unix') return 'localhost'
  const host = target.host.includes(':') ? `[${target.host}]` : target.host
  return target.port === (target.secure ? 443 : 80) ? host : `${host}:${target.port}`
}

/** Host as the application gets it: a port that nobody listens on must not get into a stored page's links. */
const hostFor = ({ headers }: Request, { context, host }: ProxyCall, upgrading: boolean): string =>
  upgrading ? (headers.get('host') ?? host) : shownHost(headers, context, host)

/** Reverse proxy over HTTP/1.1, with kept connections where a request may be sent again. */
export const createProxyOrigin = (deps: ProxyOriginDeps): ProxyOrigin => {
  const kept = createKeptConnections()
  const maxConnections = deps.maxConnections ?? 4096
  const single = new Map<string, number>()

  /** A connection that is counted as long as it is open. */
  const connectCounted = (target: ProxyUpstream, { vhost, rule }: ProxyCall): Socket => {
    const { upstream } = rule
    const open = single.get(upstream) ?? 0
    if (open >= maxConnections) {
      throw new OriginError(503, `${open} connections to the application are open`)
    }
    const socket = connectUpstream(target, vhost, rule.verify_tls)
    single.set(upstream, open + 1)
    socket.once('close', () => {
      const left = (single.get(upstream) ?? 1) - 1
      if (left > 0) single.set(upstream, left)
      else single.delete(upstream)
    })
    return socket
  }

  const plan = (request: Request, call: ProxyCall, fresh: boolean): Exchange => {
    const { rule, context, vhost } = call
    const target = parseProxyUpstream(rule.upstream)
    if (typeof target === 'string') throw new OriginError(502, `the upstream ${target}`)
    const upgrading = rule.websocket && context.upgrade !== undefined
    const agent = fresh || upgrading ? null : kept.agentFor(target, rule, vhost)
    const host = hostFor(request, call, upgrading)
    const { headers, body } = request
    const length = body === null ? null : headers.get('content-length')
    const expectsContinue = body !== null && /^100-continue$/i.test(headers.get('expect') ?? '')
    const fields: Record<string, string> = {
      host: rule.preserve_host ? host : authorityOf(target),
      ...requestFields(headers),
      ...forwardedFields(headers, context, host, deps.trustedProxies),
      ...(upgrading ? { connection: 'Upgrade', upgrade: 'websocket' } : {}),
      ...(expectsContinue ? { expect: '100-continue' } : {}),
    }
    if (length !== null) fields['content-length'] = length
    else if (body !== null) fields['transfer-encoding'] = 'chunked'
    else if (!REPEATABLE.has(request.method)) fields['content-length'] = '0'
    return {
      options: {
        method: request.method,
        path: call.requestUri,
        headers: fields,
        ...(target.kind === 'unix' ? { socketPath: target.path } : {}),
        ...(target.kind === 'tcp' ? { host: target.host, port: target.port } : {}),
        ...(agent === null ? { createConnection: () => connectCounted(target, call) } : {}),
      },
      secure: target.kind === 'tcp' && target.secure,
      agent,
      body,
      bodyBytes: length === null ? null : Number(length),
      expectsContinue,
      connectMs: rule.connect_timeout_secs * 1000,
      answerMs: rule.timeout_secs * 1000,
      signal: request.signal,
      onEarlyHints: (links) => context.earlyHints?.(links),
    }
  }

  const ask = async (request: Request, call: ProxyCall): Promise<Answered> => {
    const repeatable = request.body === null && REPEATABLE.has(request.method)
    try {
      return await askUpstream(plan(request, call, !repeatable))
    } catch (error) {
      if (!(error instanceof StaleConnection)) throw error
      return askUpstream(plan(request, call, true))
    }
  }

  const switched = (
    call: ProxyCall,
    { answer, connection, first }: Extract<Answered, { kind: 'switched' }>,
  ): Response => {
    const { upgrade } = call.context
    const to = answer.headers.upgrade?.toLowerCase()
    const said = listedFields(answer.headers.connection).has('upgrade')
    if (upgrade === undefined || !call.rule.websocket || to !== 'websocket' || !said) {
      connection.destroy()
      throw new OriginError(502, 'the application changed to a protocol that nobody asked for')
    }
    const { rawHeaders } = answer
    const fields = rawHeaders.flatMap((name, i): [string, string][] =>
      i % 2 === 0 ? [[name, rawHeaders[i + 1] ?? '']] : [],
    )
    const words = fields.filter(([name]) => isPluginField(name.toLowerCase()))
    upgrade.accept({
      reason: answer.statusMessage ?? '',
      // A 101 has no body, whatever it says (RFC 9110, 8.6 and RFC 9112, 6.1).
      fields: fields.filter(
        ([name]) =>
          !/^(?:content-length|transfer-encoding)$/i.test(name) &&
          !isPluginField(name.toLowerCase()),
      ),
      connection,
      first,
      idleSecs: call.rule.websocket_idle_secs,
      domain: call.vhost.domain,
    })
    // What it asks to be purged is the page cache's affair all the same.
    return new Response(null, { status: 204, headers: words })
  }

  return {
    async run(request, call) {
      const answered = await ask(request, call)
      if (answered.kind === 'switched') return switched(call, answered)
      const { answer, outgoing } = answered
      try {
        const { status, headers, bodyless } = readResponseHead(answer)
        if (bodyless || request.method === 'HEAD') {
          answer.on('error', () => undefined)
          readAway(answer)
          return new QuickResponse(null, status, headers)
        }
        const done = (): void => {
          // An upload that goes on behind a whole response is of no use to anybody.
          if (!outgoing.writableFinished) outgoing.destroy()
        }
        if (answer.headers['transfer-encoding'] !== undefined) call.context.trailers?.([])
        const ended = (): void => {
          if (answer.rawTrailers.length > 0) call.context.trailers?.(responseTrailers(answer))
        }
        const body = responseStream(answer, call.rule.timeout_secs * 1000, done, ended)
        return new QuickResponse(body, status, headers)
      } catch (error) {
        answer.on('error', () => undefined)
        outgoing.destroy()
        throw error
      }
    },
  }
}
