import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { WebhookConfig } from '#handlers/domain/config/config-types.ts'
import type { WebhooksPort } from '#handlers/ports/webhooks.ts'
import { checkPublicHost, guardedLookup, publicLookup } from '../../process/guarded-lookup.ts'

const TIMEOUT_MS = 10_000

/** `t=<unix seconds>,v1=<hex HMAC-SHA256 of "<t>.<body>">`. */
export const signWebhook = (secret: string, atSecs: number, body: string): string =>
  `t=${atSecs},v1=${createHmac('sha256', secret).update(`${atSecs}.${body}`).digest('hex')}`

const secretOf = ({ name, secret_file }: WebhookConfig): string => {
  const secret = readFileSync(secret_file, 'utf8').trim()
  if (secret === '') throw new Error(`${secret_file} (secret_file of webhook ${name}) is empty`)
  return secret
}

/** One POST; resolves at 2xx. Redirects are not followed, and of the response nothing but its status is looked at. */
const post = (
  webhook: WebhookConfig,
  headers: Record<string, string>,
  body: string,
  timeoutMs: number,
): Promise<void> =>
  new Promise((resolve, reject) => {
    const url = new URL(webhook.url)
    if (!webhook.allow_private) checkPublicHost(url.hostname)
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest
    const outgoing = send(
      url,
      {
        method: 'POST',
        agent: false,
        lookup: webhook.allow_private ? guardedLookup(true) : publicLookup,
        headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) },
        // The whole exchange, the connection included.
        signal: AbortSignal.timeout(timeoutMs),
      },
      (answer) => {
        const status = answer.statusCode ?? 0
        answer.destroy()
        if (status >= 200 && status < 300) resolve()
        else reject(new Error(`it answered ${status}`))
      },
    )
    outgoing.on('error', reject)
    outgoing.end(body)
  })

/** Sends events to the addresses of `[[webhook]]`, each signed with its own secret. */
export const createWebhookSender = (
  webhooks: readonly WebhookConfig[],
  options: { nowMs: () => number; timeoutMs?: number },
): WebhooksPort => ({
  list: () => webhooks.map(({ name, events }) => ({ name, events })),
  async send(name, { id, body }) {
    const webhook = webhooks.find((one) => one.name === name)
    if (webhook === undefined) return
    const atSecs = Math.floor(options.nowMs() / 1000)
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'Berth',
      'berth-event-id': id,
      'berth-signature': signWebhook(secretOf(webhook), atSecs, body),
    }
    await post(webhook, headers, body, options.timeoutMs ?? TIMEOUT_MS)
  },
})
