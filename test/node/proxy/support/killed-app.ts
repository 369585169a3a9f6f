import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'

const PROGRAM = `
const { createServer } = require('node:http')
const [name, port] = process.argv.slice(1)
let fit = true
createServer((message, out) => {
  if (message.url === '/health') { out.statusCode = fit ? 204 : 503; return out.end() }
  if (message.url === '/unfit') fit = false
  if (message.url === '/crash') process.exit(1)
  if (message.url === '/never') return
  let body = ''
  message.on('data', (part) => (body += part))
  message.on('end', () => setTimeout(() => out.end(name + ' ' + message.method + ' ' + body), 5))
}).listen(Number(port), '127.0.0.1', () => process.send('listening'))
`

/** A real application in a process of its own, which can be killed and started again at its port. */
export interface KilledApp {
  port: number
  start(): Promise<void>
  kill(): Promise<void>
}

export const createKilledApp = (name: string, port: number): KilledApp => {
  let child: ChildProcess | null = null
  return {
    port,
    start: async () => {
      child = spawn(process.execPath, ['-e', PROGRAM, name, String(port)], {
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      })
      await once(child, 'message')
    },
    kill: async () => {
      const killed = child
      child = null
      if (killed === null || killed.exitCode !== null) return
      const gone = once(killed, 'exit')
      killed.kill('SIGKILL')
      await gone
    },
  }
}
