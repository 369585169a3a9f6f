import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

const accepts = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })

/** Resolves once the port accepts connections; rejects after `timeoutMs`. */
export const untilListening = async (port: number, timeoutMs: number): Promise<void> => {
  const deadline = Date.now() + timeoutMs
  while (!(await accepts(port))) {
    if (Date.now() > deadline)
      throw new Error(`nothing listens on port ${port} after ${timeoutMs} ms`)
    await delay(20)
  }
}
