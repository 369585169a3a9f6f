import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import type { Listening } from './swap-types.ts'

const LISTENING = '0A'

/** An address of /proc/net/tcp or tcp6: 32-bit words in the machine's (little-endian) order. */
const readAddress = (hex: string): string => {
  const bytes = (hex.match(/.{8}/g) ?? []).flatMap((word) =>
    (word.match(/../g) ?? []).toReversed().map((byte) => Number.parseInt(byte, 16)),
  )
  if (bytes.length === 4) return bytes.join('.')
  const groups = Array.from({ length: 8 }, (_, at) =>
    (((bytes[at * 2] ?? 0) << 8) | (bytes[at * 2 + 1] ?? 0)).toString(16),
  )
  return groups.every((group) => group === '0')
    ? '::'
    : new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1)
}

const inodesOf = (pid: number): Set<string> => {
  const found = new Set<string>()
  try {
    for (const fd of readdirSync(`/proc/${pid}/fd`)) {
      const match = /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))
      if (match?.[1] !== undefined) found.add(match[1])
    }
  } catch {
    // Ended meanwhile, or another user's.
  }
  return found
}

/** TCP sockets that a process listens on, by port. */
export const listeningOf = (pid: number): Listening[] => {
  const inodes = inodesOf(pid)
  const found: Listening[] = []
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6'])
    try {
      for (const line of readFileSync(table, 'utf8').split('\n').slice(1)) {
        const fields = line.trim().split(/\s+/)
        const [address = '', port = ''] = fields[1]?.split(':') ?? []
        if (fields[3] === LISTENING && inodes.has(fields[9] ?? ''))
          found.push({ address: readAddress(address), port: Number.parseInt(port, 16) })
      }
    } catch {
      // no IPv6 on this machine
    }
  return found.sort((one, other) => one.port - other.port)
}
