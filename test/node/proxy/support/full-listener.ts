import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

/** Node accepts by itself; this never does. */
const PROGRAM = `import socket, sys
one = socket.socket()
one.bind(('127.0.0.1', 0))
one.listen(0)
print(one.getsockname()[1], flush=True)
sys.stdin.read()`
/** A connection that the kernel takes is there at once. */
const REFUSED_AFTER_MS = 300

/** A port of 127.0.0.1 whose queue is full: further connections hang, as those to a machine that is off. */
export const startFullListener = async (): Promise<{ port: number; close(): void }> => {
  const child = spawn('python3', ['-c', PROGRAM], { stdio: ['pipe', 'pipe', 'inherit'] })
  const sockets: Socket[] = []
  const close = (): void => {
    for (const socket of sockets) socket.destroy()
    child.kill('SIGKILL')
  }
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  const port = Number(line.toString())
  for (let n = 0; n < 20; n++) {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined)
    sockets.push(socket)
    const taken = once(socket, 'connect').then(() => true)
    if (!(await Promise.race([taken, delay(REFUSED_AFTER_MS, false)]))) return { port, close }
  }
  close()
  throw new Error('the queue of the listener does not fill')
}
