import { isIP, type Socket } from 'node:net'
import {
  parseProxyUpstream,
  type ProxyUpstream,
} from '#handlers/domain/upstreams/proxy-upstream.ts'
import type { ProxyRule, VirtualHostConfig } from '#handlers/domain/config/config-types.ts'
import type { UpstreamState } from '#handlers/management/upstream-state.ts'
import { OriginError } from '#handlers/sites/origins/php-origin.ts'
import type { ProxyCall, ProxyOrigin } from '#handlers/sites/origins/proxy-origin.ts'
import { readAway } from '../http1/slow/paced-pieces.ts'
import { QuickResponse } from '../../messages/quick-response.ts'
import { mapPathsBack, mayNameItself, pathForApplication } from './path-mapping.ts'
import { countHops, HOPS_FIELD } from './reach/count-hops.ts'
import { createInternetAccess, type InternetAccess } from './reach/internet-access.ts'
import { readResponseHead } from './response-head.ts'
import { responseStream } from './response-stream.ts'
import { responseTrailers } from './response-trailers.ts'
import { askOneOf } from './upstreams/ask-one-of.ts'
import { askUpstream, StaleConnection, type Answered, type Exchange } from './ask-upstream.ts'
import { authorityOf } from './upstreams/authority-of.ts'
import type { WatchedChannel } from '../../web-channel/channel-files.ts'
import { VISITOR_FIELD, visitorText } from '../../web-channel/visitor-field.ts'
import { channelOptions, connectUpstream } from './connect-upstream.ts'
import { forwardedFields } from './forwarded-fields.ts'
import { createHealthChecks } from './upstreams/health-checks.ts'
import { hostFor, hostsOf } from './hosts-of-call.ts'
import { createKeptConnections } from './kept-connections.ts'
import { requestFields } from './request-fields.ts'
import { reachUpstream } from './upstreams/open-connection.ts'
import { switchProtocols } from './switch-protocols.ts'
import type { UpstreamPool } from './upstreams/upstream-pool.ts'
import { createUpstreamPools } from './upstreams/upstream-pools.ts'
import { createWakeApplication, type EnsureApplication } from './wake-application.ts'

export interface ProxyOriginDeps {
  /** CIDR blocks whose `X-Forwarded-*` is believed. */
  trustedProxies: readonly string[]
  /** Starts an account's application; default: none is. */
  ensureApplication?: EnsureApplication
  /** Connections of their own to one application, of this process: WebSockets and what may not be sent twice. Default 4096. */
  maxConnections?: number
  /** Keys of the web channel; default: there are none. */
  channel?: WatchedChannel
  /** For upstreams that must lie in the internet; default: `createInternetAccess`. */
  internet?: InternetAccess
}

/** Methods that may be sent again when a kept connection broke before a response (RFC 9110, 9.2.2). */
const REPEATABLE = new Set(['GET', 'HEAD', 'OPTIONS'])

const isRepeatable = ({ body, method }: Request): boolean => body === null && REPEATABLE.has(method)

/** Passes requests on, and knows how the addresses of applications with several of them fare. */
export interface ReverseProxy extends ProxyOrigin {
  /** Told of the virtual hosts at the start and whenever they change. */
  review(hosts: Iterable<VirtualHostConfig>): void
  upstreams(): UpstreamState[]
}

/** Reverse proxy over HTTP/1.1, with kept connections where a request may be sent again. */
export const createProxyOrigin = (deps: ProxyOriginDeps): ReverseProxy => {
  const internet = deps.internet ?? createInternetAccess()
  const kept = createKeptConnections(internet.lookup, deps.channel)
  const maxConnections = deps.maxConnections ?? 4096
  const single = new Map<string, number>()

  /** Throws `OriginError` 502 for what is no address, or none that the rule may lead to. */
  const targetOf = ({ upstream, reach }: ProxyRule): ProxyUpstream => {
    const target = parseProxyUpstream(upstream)
    if (typeof target === 'string') throw new OriginError(502, `the upstream ${target}`)
    if (reach !== 'internet') return target
    // A bare address is looked up by nobody.
    if (target.kind === 'unix' || (isIP(target.host) !== 0 && !internet.allows(target.host)))
      throw new OriginError(502, 'the upstream lies outside of the internet')
    return target
  }

  /** A connection that is counted as long as it is open. */
  const connectCounted = (
    target: ProxyUpstream,
    vhost: VirtualHostConfig,
    rule: ProxyRule,
  ): Socket => {
    const { upstream } = rule
    const open = single.get(upstream) ?? 0
    if (open >= maxConnections) {
      throw new OriginError(503, `${open} connections to the application are open`)
    }
    const socket = connectUpstream(target, vhost, {
      verifyTls: rule.verify_tls,
      ...(rule.channel === undefined
        ? {}
        : { channel: channelOptions(rule.channel, deps.channel?.now() ?? null) }),
      ...(rule.reach === 'internet' ? { lookup: internet.lookup } : {}),
    })
    single.set(upstream, open + 1)
    socket.once('close', () => {
      const left = (single.get(upstream) ?? 1) - 1
      if (left > 0) single.set(upstream, left)
      else single.delete(upstream)
    })
    return socket
  }

  const pools = createUpstreamPools()
  const checks = createHealthChecks(
    () => pools.all(),
    (vhost, rule) => connectCounted(targetOf(rule), vhost, rule),
  )
  const wake = createWakeApplication(
    deps.ensureApplication ?? (() => Promise.reject(new Error('nobody starts applications here'))),
  )

  /** `ready`: a connection that stands already; null: it makes its own, or takes a kept one. */
  const plan = (
    request: Request,
    call: ProxyCall,
    fresh: boolean,
    ready: Socket | null,
  ): Exchange => {
    const { rule, context, vhost } = call
    const target = targetOf(rule)
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
      ...(rule.channel === undefined ? {} : { [VISITOR_FIELD]: visitorText(context) }),
      ...(rule.reach === undefined ? {} : { [HOPS_FIELD]: String(countHops(headers)) }),
    }
    if (length !== null) fields['content-length'] = length
    else if (body !== null) fields['transfer-encoding'] = 'chunked'
    else if (!REPEATABLE.has(request.method)) fields['content-length'] = '0'
    return {
      options: {
        method: request.method,
        path: pathForApplication(call.requestUri, rule),
        headers: fields,
        ...(target.kind === 'unix' ? { socketPath: target.path } : {}),
        ...(target.kind === 'tcp' ? { host: target.host, port: target.port } : {}),
        ...(agent === null
          ? { createConnection: () => ready ?? connectCounted(target, vhost, rule) }
          : {}),
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

  const askAlone = async (request: Request, call: ProxyCall): Promise<Answered> => {
    try {
      return await askUpstream(plan(request, call, !isRepeatable(request), null))
    } catch (error) {
      if (!(error instanceof StaleConnection)) throw error
      return askUpstream(plan(request, call, true, null))
    }
  }

  const ask = async (request: Request, call: ProxyCall): Promise<Answered> => {
    const { vhost, rule } = call
    const askPool = (pool: UpstreamPool): Promise<Answered> =>
      askOneOf(pool, {
        repeatable: isRepeatable(request),
        signal: request.signal,
        ask: (own, ready) =>
          ready === null
            ? askAlone(request, { ...call, rule: own })
            : askUpstream(plan(request, { ...call, rule: own }, true, ready)),
        connect: (own) =>
          reachUpstream(
            () => connectCounted(targetOf(own), vhost, own),
            request.signal,
            own.connect_timeout_secs * 1000,
          ),
      })
    if (rule.upstreams !== undefined) {
      const pool = pools.of(vhost, rule)
      if (rule.application === undefined) return askPool(pool)
      const sleeper = { domain: vhost.domain, application: rule.application }
      return wake.ask(sleeper, (woken) => {
        if (woken) pool.renew()
        return askPool(pool)
      })
    }
    if (rule.application === undefined) return askAlone(request, call)
    const socket = await wake.connect(
      { domain: vhost.domain, application: rule.application },
      () => connectCounted(targetOf(rule), vhost, rule),
      request.signal,
    )
    return askUpstream(plan(request, call, true, socket))
  }

  return {
    review: (hosts) => {
      pools.review(hosts)
      checks.review()
    },
    upstreams: () => pools.states(),
    async run(request, call) {
      const answered = await ask(request, call)
      if (answered.kind === 'switched') return switchProtocols(call, answered)
      const { answer, outgoing } = answered
      try {
        const { status, headers, bodyless } = readResponseHead(answer)
        if (mayNameItself(headers, call.rule))
          mapPathsBack(headers, call.rule, hostsOf(request, call))
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
