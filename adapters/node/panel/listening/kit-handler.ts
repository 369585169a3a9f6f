import { existsSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Client } from './client-of.ts'

/** Answers everything but the API: pages, scripts, styles, fonts. */
export type KitHandler = (
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  client: Client,
) => void

type NodeHandler = (
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  next: (error?: unknown) => void,
) => void

/** How Kit's handler learns what only this listener knows; a client's own copies are overwritten. */
const PROTOCOL_HEADER = 'x-berth-protocol'
const ADDRESS_HEADER = 'x-berth-address'

const isHandlerModule = (value: unknown): value is { handler: NodeHandler } =>
  typeof value === 'object' &&
  value !== null &&
  'handler' in value &&
  typeof value.handler === 'function'

/** Loads the built UI from `<product>/build`. Throws when it is not built. */
export const loadKitHandler = async (
  buildDir = resolve(import.meta.dirname, '../../../../build'),
): Promise<KitHandler> => {
  const file = join(buildDir, 'handler.js')
  if (!existsSync(file)) throw new Error(`${file} is missing. Build the UI with: npm run build`)
  // Read by the handler when it is loaded; without them it takes every request for https.
  process.env['BERTH_KIT_PROTOCOL_HEADER'] = PROTOCOL_HEADER
  process.env['BERTH_KIT_ADDRESS_HEADER'] = ADDRESS_HEADER
  const module: unknown = await import(pathToFileURL(file).href)
  if (!isHandlerModule(module)) throw new Error(`${file} has no handler. Build the UI again.`)
  return (incoming, outgoing, client) => {
    incoming.headers[PROTOCOL_HEADER] = client.secure ? 'https' : 'http'
    incoming.headers[ADDRESS_HEADER] = client.address
    module.handler(incoming, outgoing, () => {
      if (!outgoing.headersSent) outgoing.statusCode = 404
      outgoing.end()
    })
  }
}
