import { setTimeout } from 'node:timers/promises'
import { runCommand } from '../process/run-command.ts'

/** Debian installs it for everybody; where it is missing, connections are refused meanwhile. */
const NFT = '/usr/sbin/nft'
/** The kernel lets them through again by itself after that, also when we are killed. */
const MOST_SECS = 30
/** Whom a server took up just before is accepted, so that no closing socket resets him. */
const ACCEPT_MS = 100

/** New connections that wait. */
export interface HeldConnections {
  /** False: there is no way to hold them here. */
  held: boolean
  /** Lets them through. Repeatable; never fails. */
  release(): Promise<void>
}

const nft = async (script: string): Promise<boolean> => {
  const options = { input: script, timeoutMs: 5000 }
  const ran = await runCommand(NFT, ['-f', '-'], options).catch(() => null)
  return ran?.code === 0
}

/**
 * Lets new connections to TCP ports wait while nobody listens there, instead of being refused: the
 * packet that asks for one is dropped, and its sender asks again after a second (RFC 6298, 2.1).
 * Connections that are there go on. Ends by itself after half a minute.
 */
export const holdConnections = async (ports: readonly number[]): Promise<HeldConnections> => {
  const known = [...new Set(ports)].toSorted((a, b) => a - b)
  const table = `berth_swap_${known.join('_')}`
  const elements = known.map((port) => `${port} timeout ${MOST_SECS}s`).join(', ')
  // Of one that was killed there may be a table; to add first makes deleting it no error.
  const clear = `add table inet ${table}\ndelete table inet ${table}\n`
  const held =
    known.length > 0 &&
    (await nft(`${clear}table inet ${table} {
  set ports { type inet_service; flags timeout; elements = { ${elements} } }
  chain incoming {
    type filter hook input priority -300; policy accept;
    tcp flags & (syn | ack) == syn tcp dport @ports drop
  }
}
`))
  if (held) await setTimeout(ACCEPT_MS)
  return {
    held,
    async release() {
      if (held) await nft(clear)
    },
  }
}
