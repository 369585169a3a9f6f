import { inMegabytes } from '#handlers/domain/text/megabyte.ts'
import { existsSync, statfsSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname } from 'node:path'
import type { ServerConfig } from '#handlers/domain/config/config-types.ts'
import { parseListenAddress } from '#handlers/domain/config/listen.ts'
import { describePortHolder } from '../process/ports/port-holder.ts'

/** A copy of the product with its packages. */
const COPY_BYTES = 500 * 2 ** 20
/** Records, certificates, the first pages of the cache. */
const STATE_BYTES = 100 * 2 ** 20

const existing = (path: string): string => (existsSync(path) ? path : existing(dirname(path)))

/** Throws when a file system has too little room. */
export const requireDiskSpace = ({ paths }: ServerConfig): void => {
  for (const [path, neededBytes] of [
    [paths.install_dir, COPY_BYTES],
    [paths.state_dir, STATE_BYTES],
  ] as const) {
    const { bavail, bsize } = statfsSync(existing(path))
    const freeBytes = bavail * bsize
    if (freeBytes < neededBytes)
      throw new Error(
        `${path} has ${inMegabytes(freeBytes)} left on its file system; ${inMegabytes(neededBytes)} are needed. Make room, or set another directory in [paths].`,
      )
  }
}

const isTaken = (host: string, port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'EADDRINUSE'))
    server.listen({ host, port, ipv6Only: true }, () => server.close(() => resolve(false)))
  })

/** Throws when another program listens where a first start would. */
export const requireFreePorts = async (config: ServerConfig): Promise<void> => {
  const { panel, server, api } = config
  const wanted = [
    ...panel.listen.map((address) => ['[panel] listen', address] as const),
    ...server.listen.map((address) => ['[server] listen', address] as const),
    ...server.listen_ssl.map((address) => ['[server] listen_ssl', address] as const),
    ...api.listen.map((address) => ['[api] listen', address] as const),
  ]
  const taken: string[] = []
  for (const [key, address] of wanted) {
    const parsed = parseListenAddress(address)
    if (parsed === null || !(await isTaken(parsed.host, parsed.port))) continue
    const holder = describePortHolder(parsed.port)
    taken.push(`  ${address} (${key})${holder === null ? '' : ` is used by ${holder}`}`)
  }
  if (taken.length > 0)
    throw new Error(
      `other programs listen where Berth would:\n${taken.join('\n')}\nStop them (a web server: systemctl disable --now apache2 nginx), or choose other ports in ${config.file}.`,
    )
}
