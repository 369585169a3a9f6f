import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { checkServerIdentity, type PeerCertificate } from 'node:tls'
import { X509Certificate } from 'node:crypto'
import { CliError } from '../../cli-error.ts'
import { codeOf, reasonOf } from '../../read-text.ts'
import type { PanelTarget } from './panel-target.ts'

export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'

export interface PanelRequest {
  method: Method
  /** From `/api` on, with the query. */
  path: string
  headers?: Record<string, string>
  /** Text, or bytes of any number. */
  body?: string | Readable
  /** Without a word from the other side; default 15 minutes, as repairs take long. */
  idleTimeoutMs?: number
}

const IDLE_TIMEOUT_MS = 15 * 60_000

const explainLocal = (
  error: unknown,
  { socketPath, configFile, logFile }: PanelTarget & { kind: 'local' },
): string => {
  const code = codeOf(error)
  if (code === 'EACCES')
    return `${socketPath} may not be opened by this user. Run the command as root, or as the user who started Berth, or log in: berth login`
  if (code === 'ENOENT' || code === 'ECONNREFUSED')
    return `The panel does not run with ${configFile} (nothing answers at ${socketPath}). Start Berth (berth service start, or npm start in its directory), or name its configuration with --config.`
  return `The panel gave no answer: ${reasonOf(error)}. Look into ${logFile}.`
}

const explainRemote = (error: unknown, url: URL): string => {
  const code = codeOf(error)
  if (code === 'ECONNREFUSED')
    return `Nothing answers at ${url.origin}. Check the address, and whether the panel runs.`
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return `${url.hostname} is no name that the network knows. Check the address.`
  if (/CERT|SELF_SIGNED|ISSUER|SIGNATURE|ALTNAME/.test(code))
    return `The certificate of ${url.origin} is not trusted (${code}). If it is the panel's own, give it with --ca-file.`
  if (code === 'EPROTO' || code === 'HPE_INVALID_CONSTANT')
    return `${url.origin} speaks something else than ${url.protocol.slice(0, -1)}. Try ${url.protocol === 'https:' ? 'http' : 'https'}.`
  return `${url.origin} gave no answer: ${reasonOf(error)}.`
}

/** A certificate that was given itself is trusted under whatever name it is met. */
const identityCheck =
  (ca: string | null) =>
  (host: string, peer: PeerCertificate): Error | undefined => {
    if (ca !== null && new X509Certificate(ca).fingerprint256 === peer.fingerprint256)
      return undefined
    return checkServerIdentity(host, peer)
  }

const optionsFor = (target: PanelTarget, { path, method, headers = {} }: PanelRequest) => {
  const common: RequestOptions = { method, agent: false }
  if (target.kind === 'local')
    return {
      ...common,
      socketPath: target.socketPath,
      path,
      headers: { host: 'localhost', ...headers },
    }
  const { url, token, ca } = target
  return {
    ...common,
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port),
    path: `${url.pathname.replace(/\/$/, '')}${path}`,
    headers: {
      host: url.host,
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...headers,
    },
    ...(ca === null ? {} : { ca }),
    checkServerIdentity: identityCheck(ca),
  }
}

/** Sends one request; resolves with the head of the response. Rejects with a `CliError` when there is none. */
export const sendToPanel = async (
  target: PanelTarget,
  asked: PanelRequest,
): Promise<IncomingMessage> => {
  const { body, idleTimeoutMs = IDLE_TIMEOUT_MS } = asked
  const secure = target.kind === 'remote' && target.url.protocol === 'https:'
  try {
    const outgoing = (secure ? httpsRequest : httpRequest)(optionsFor(target, asked))
    outgoing.setTimeout(idleTimeoutMs, () =>
      outgoing.destroy(new Error(`no word within ${idleTimeoutMs / 1000} s`)),
    )
    const answered = new Promise<IncomingMessage>((resolve, reject) => {
      outgoing.on('response', resolve)
      outgoing.on('error', reject)
    })
    if (body === undefined || typeof body === 'string') outgoing.end(body)
    else {
      // A response that comes before all was sent, such as 413, is what counts.
      const sent = pipeline(body, outgoing).catch((error: unknown) => error)
      return await Promise.race([
        answered,
        sent.then((error) =>
          error instanceof Error && codeOf(error) !== 'EPIPE' && codeOf(error) !== 'ECONNRESET'
            ? Promise.reject(error)
            : answered,
        ),
      ])
    }
    return await answered
  } catch (error) {
    throw new CliError(
      target.kind === 'local' ? explainLocal(error, target) : explainRemote(error, target.url),
    )
  }
}
