import type { DiskFiller, MachineFacts, MachinePort } from '#handlers/ports/host/machine.ts'

export interface FakeMachine extends MachinePort {
  /** What it answers; a test changes it. Sound at first. */
  now: MachineFacts
  filled: DiskFiller[]
}

const GIB = 2 ** 30

/** A machine with nothing wrong with it, `nowMs` being its time. */
export const soundFacts = (nowMs: number): MachineFacts => ({
  disks: {
    seen: true,
    value: [
      {
        mount: '/',
        holds: ['homes', "the panel's records"],
        paths: ['/home', '/var/lib/berth'],
        readOnly: false,
        totalBytes: 200 * GIB,
        freeBytes: 100 * GIB,
        totalFiles: 9_000_000,
        freeFiles: 8_000_000,
      },
    ],
  },
  memory: {
    seen: true,
    value: {
      totalBytes: 8 * GIB,
      availableBytes: 4 * GIB,
      swapTotalBytes: GIB,
      swapFreeBytes: GIB,
      stalledPercent: 0,
      killed: 0,
    },
  },
  clock: { seen: true, value: { synchronised: true, source: 'a fake', jumps: [] } },
  children: {
    seen: true,
    value: ['agent', 'panel', 'web'].map((name) => ({ name, running: true, ends: [] })),
  },
  ports: { seen: true, value: [] },
  databaseServers: {
    seen: true,
    value: [
      {
        engine: 'mariadb',
        unreachable: null,
        readOnly: null,
        connections: { used: 3, limit: 150 },
        damaged: [],
        oldestTransactions: null,
        notReached: null,
      },
    ],
  },
  packages: { seen: true, value: { listedAtMs: nowMs, securityListed: true, updates: [] } },
  limits: {
    seen: true,
    value: {
      filling: [{ name: 'fs.file-max', used: 1000, limit: 1_000_000 }],
      somaxconn: 4096,
      overcommit: 0,
    },
  },
})

/** The lists are never old: a test's clock goes where it likes. */
const ALWAYS = 8.64e15

export const createFakeMachine = (): FakeMachine => {
  const machine: FakeMachine = {
    now: soundFacts(ALWAYS),
    filled: [],
    facts: async () => structuredClone(machine.now),
    fillers: async () => structuredClone(machine.filled),
  }
  return machine
}
