import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'

/**
 * The least a Node server can do: each chunk that arrives is answered with one
 * write of one prepared buffer. Nothing is parsed, logged or checked.
 *
 * usage: bare-loop-server.ts PORT FILE
 */
const [port = '', file = ''] = process.argv.slice(2)
const answer = readFileSync(file)
createServer({ noDelay: true }, (socket) => {
  socket.on('error', () => socket.destroy())
  socket.on('data', () => socket.write(answer))
}).listen({ port: Number(port), host: '127.0.0.1', backlog: 4096 })
