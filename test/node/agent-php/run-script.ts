import net from 'node:net'

const record = (type: number, body: Buffer): Buffer =>
  Buffer.concat([Buffer.from([1, type, 0, 1, body.length >> 8, body.length & 255, 0, 0]), body])

const pair = (name: string, value: string): Buffer => {
  const length = (text: string): Buffer => {
    const bytes = Buffer.alloc(4)
    bytes.writeUInt32BE((Buffer.byteLength(text) | 0x80000000) >>> 0)
    return bytes
  }
  return Buffer.concat([length(name), length(value), Buffer.from(name), Buffer.from(value)])
}

const pieces = (bytes: Buffer): Buffer[] =>
  Array.from({ length: Math.ceil(bytes.length / 60_000) }, (_, at) =>
    bytes.subarray(at * 60_000, (at + 1) * 60_000),
  )

/** Runs a script through a FastCGI socket; the whole output, head included. Rejects when it is cut off. */
export const runScript = (
  socketPath: string,
  file: string,
  params: Record<string, string> = {},
): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = net.connect({ path: socketPath })
    let input = Buffer.alloc(0)
    let output = ''
    socket.on('error', reject)
    socket.on('close', () => reject(new Error(`cut off after: ${output}`)))
    socket.on('connect', () => {
      const environment = {
        SCRIPT_FILENAME: file,
        SCRIPT_NAME: `/${file.split('/').at(-1)}`,
        REQUEST_METHOD: 'GET',
        SERVER_PROTOCOL: 'HTTP/1.1',
        ...params,
      }
      const names = Object.entries(environment).map(([name, value]) => pair(name, value))
      socket.write(
        Buffer.concat([
          record(1, Buffer.from([0, 1, 0, 0, 0, 0, 0, 0])),
          ...pieces(Buffer.concat(names)).map((piece) => record(4, piece)),
          record(4, Buffer.alloc(0)),
          record(5, Buffer.alloc(0)),
        ]),
      )
    })
    socket.on('data', (chunk: Buffer) => {
      input = Buffer.concat([input, chunk])
      while (input.length >= 8) {
        const size = input.readUInt16BE(4)
        const whole = 8 + size + (input[6] ?? 0)
        if (input.length < whole) return
        if (input[1] === 6 || input[1] === 7) output += input.toString('utf8', 8, 8 + size)
        if (input[1] === 3) {
          resolve(output)
          socket.destroy()
        }
        input = input.subarray(whole)
      }
    })
  })

/** What the script printed, without the head. */
export const scriptBody = async (...call: Parameters<typeof runScript>): Promise<string> =>
  (await runScript(...call)).split('\r\n\r\n').slice(1).join('\r\n\r\n')
