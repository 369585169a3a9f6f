import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/**
 * Below the ports that Linux gives to connections going out (32768 and up): one of
 * those could be taken between the choice here and the program that is to listen.
 */
const LOWEST = 20_000
const HIGHEST = 32_000
/** Files of other lanes run at the same time: each lane has ports of its own. */
const PORTS_OF_LANE = 2_000
const LANE = process.env['BERTH_TEST_LANE']
const [first, end] =
  LANE === undefined
    ? [LOWEST, HIGHEST]
    : [LOWEST, LOWEST + PORTS_OF_LANE].map(
        (port) => port + ((Number(LANE) * PORTS_OF_LANE) % (HIGHEST - LOWEST)),
      )
const MAX_TRIES = 1000

/** Ports that this process was given already: what they are for may not listen yet. */
const given = new Set<number>()

/** Whether nothing listens on the port on any address, tried by doing it. */
const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer()
    server.on('error', () => resolve(false))
    server.listen(port, () => server.close(() => resolve(true)))
  })

const freePort = async (): Promise<number> => {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const port = randomInt(first ?? LOWEST, end ?? HIGHEST)
    if (given.has(port)) continue
    given.add(port)
    if (await isFree(port)) return port
  }
  throw new Error(`no free port from ${first} to ${end}`)
}

/**
 * Ports that nothing on this machine listens on, all different, none given twice by
 * one process and none that the kernel hands out by itself.
 */
export const freePorts = (count: number): Promise<number[]> =>
  Promise.all(Array.from({ length: count }, freePort))
