import { KeptConnection } from './get.ts'
import type { WebProcess } from './web-process.ts'

/** Kept connections, `count` at each worker: the others are stopped while it accepts. */
export const connectionsPerWorker = async (
  web: WebProcess,
  host: string,
  count: number,
): Promise<KeptConnection[][]> => {
  const workers = web.workers()
  const groups: KeptConnection[][] = []
  for (const accepting of workers) {
    for (const worker of workers) if (worker !== accepting) process.kill(worker, 'SIGSTOP')
    const group = Array.from({ length: count }, () => new KeptConnection(web.port, host))
    // An answer shows that this worker has accepted; the page does not exist, so nothing is cached.
    await Promise.all(group.map((one) => one.get('/.none')))
    for (const worker of workers) if (worker !== accepting) process.kill(worker, 'SIGCONT')
    groups.push(group)
  }
  return groups
}

export const closeAll = (groups: KeptConnection[][]): void => {
  for (const connection of groups.flat()) connection.close()
}
