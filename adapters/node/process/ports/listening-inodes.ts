import { readFileSync } from 'node:fs'

const LISTENING = '0A'

/** Inodes of the sockets that listen on a TCP port of this machine (proc_net_tcp(5)); none: nobody does. */
export const listeningInodes = (port: number): Set<string> => {
  const inodes = new Set<string>()
  const wanted = port.toString(16).toUpperCase().padStart(4, '0')
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6']) {
    let text: string
    try {
      text = readFileSync(table, 'utf8')
    } catch {
      continue // no IPv6 on this machine
    }
    for (const line of text.split('\n').slice(1)) {
      const fields = line.trim().split(/\s+/)
      if (fields[3] === LISTENING && fields[1]?.endsWith(`:${wanted}`) && fields[9])
        inodes.add(fields[9])
    }
  }
  return inodes
}
