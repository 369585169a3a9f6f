import type { MessagePort, Worker } from 'node:worker_threads'
import type { ChannelPort } from '../workers/process-channel.ts'

/** A thread's port, or the thread, as the end of a channel like those between processes. */
export const portChannel = (port: MessagePort | Worker): ChannelPort => ({
  connected: true,
  send(message, callback) {
    port.postMessage(message)
    callback(null)
    return true
  },
  on: (event, listener) => port.on(event, listener),
})
