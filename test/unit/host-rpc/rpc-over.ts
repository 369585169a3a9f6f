import { createHostClient } from '#adapters/shared/host-rpc/host-client.ts'
import { createHostHandler } from '#adapters/shared/host-rpc/host-handler.ts'
import { HOST_METHODS } from '#adapters/shared/host-rpc/methods.ts'
import type { HostPorts } from '#handlers/ports/host/host.ts'
import type { Log } from '#handlers/ports/log.ts'

/** Path, port and name of every method. */
export const METHODS = Object.entries(HOST_METHODS).flatMap(([port, methods]) =>
  Object.keys(methods).map((method) => [`${port}/${method}`, port, method] as const),
)

/** Client and handler of a host whose methods all answer by `answer`. */
export const rpcOver = (answer: (path: string, input: unknown) => Promise<unknown>) => {
  const logged: string[] = []
  const note = (message: string, fields?: Record<string, unknown>): void =>
    void logged.push(`${message} ${JSON.stringify(fields)}`)
  const log: Log = { info: note, warn: note, error: note }
  const ports = Object.fromEntries(
    Object.entries(HOST_METHODS).map(([port, methods]) => [
      port,
      Object.fromEntries(
        Object.keys(methods).map((method) => [
          method,
          (input: unknown) => answer(`${port}/${method}`, input),
        ]),
      ),
    ]),
  ) as unknown as HostPorts
  const handler = createHostHandler(ports, log)
  const client = createHostClient(handler) as unknown as Record<
    string,
    Record<string, (input?: unknown) => Promise<unknown>>
  >
  const call = (port: string, method: string, input?: unknown): Promise<unknown> =>
    client[port]?.[method]?.(input) ?? Promise.reject(new Error('no such method'))
  return { handler, call, logged }
}
