import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { isIP } from 'node:net'

/** A name server whose answers its owner changes as he likes. */
export interface FickleNames {
  /** As `setServers` of a resolver takes it. */
  server: string
  /** Addresses of every name; names that are not here have none. */
  names: Map<string, string[]>
  /** Questions so far, by name. */
  asked: string[]
  /** Whether it answers at all. */
  silent: boolean
  close(): Promise<void>
}

const bytesOf = (address: string): number[] => {
  if (isIP(address) === 4) return address.split('.').map(Number)
  const [head = '', tail = ''] = address.split('::')
  const words = (text: string): number[] =>
    text === '' ? [] : text.split(':').map((word) => Number.parseInt(word, 16))
  const [first, last] = [words(head), words(tail)]
  const all = [...first, ...Array<number>(8 - first.length - last.length).fill(0), ...last]
  return all.flatMap((word) => [word >> 8, word & 255])
}

const AAAA = 28

export const startFickleNames = async (): Promise<FickleNames> => {
  const socket = createSocket('udp4')
  const served: FickleNames = {
    ...{ server: '', names: new Map(), asked: [], silent: false },
    close: async () => {
      socket.close()
      await once(socket, 'close')
    },
  }
  socket.on('message', (question, from) => {
    let at = 12
    const labels: string[] = []
    while (question[at]) {
      const length = question[at] ?? 0
      labels.push(question.toString('latin1', at + 1, at + 1 + length))
      at += length + 1
    }
    const asked = question.subarray(12, at + 5)
    const type = question.readUInt16BE(at + 1)
    const name = labels.join('.').toLowerCase()
    served.asked.push(name)
    if (served.silent) return
    const kind = type === AAAA ? 6 : 4
    const answers = (served.names.get(name) ?? [])
      .filter((address) => isIP(address) === kind)
      .map((address) => {
        const data = bytesOf(address)
        return Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, data.length, ...data])
      })
    const head = Buffer.from([0, 0, 0x84, 0, 0, 1, 0, answers.length, 0, 0, 0, 0])
    question.copy(head, 0, 0, 2)
    socket.send(Buffer.concat([head, asked, ...answers]), from.port, from.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  served.server = `127.0.0.1:${socket.address().port}`
  return served
}
