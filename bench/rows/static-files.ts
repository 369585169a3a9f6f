import { utimesSync, writeFileSync } from 'node:fs'
import { compare } from '../support/findings/compare.ts'
import { comparedFindings, joined } from '../support/findings/compared-findings.ts'
import { pageBody } from '../support/page-body.ts'
import { pageSide } from '../support/page-side.ts'
import { prime } from '../support/load/prime.ts'
import type { Family, FamilyResult } from '../support/findings/row.ts'
import { onStage } from '../support/stage.ts'
import { startStaticPeers } from '../support/static-peers.ts'

const MEGABYTE = 2 ** 20
const FILES = {
  'static-1k': { name: '1k.css', bytes: 1024, connections: 32 },
  'static-10k': { name: '10k.css', bytes: 10 * 1024, connections: 32 },
  'static-100k': { name: '100k.css', bytes: 100 * 1024, connections: 32 },
  'static-100m': { name: '100m.bin', bytes: 100 * MEGABYTE, connections: 4 },
} as const
/** Long ago, so that nobody takes them for files that are being written. */
const CHANGED = new Date('2026-01-02T03:04:05Z')

/** Text for the small ones; the big one is one megabyte, again and again. */
const content = (bytes: number): Buffer =>
  Buffer.alloc(bytes, pageBody(Math.min(bytes, MEGABYTE)), 'latin1')

/** Files from the disk, as they are. */
export const staticFiles: Family = {
  name: 'static',
  rows: {
    'static-1k': 'static file of 1 KB',
    'static-10k': 'static file of 10 KB',
    'static-100k': 'static file of 100 KB',
    'static-100m': 'static file of 100 MB',
  },
  obstacles: {
    'static-100m':
      'sendfile copies nothing on our side; Node has no such call, so every byte is copied twice, which is as cheap only while the piece in between stays in the processor’s cache: the ratio swings between 0.95 and 1.2 with what else runs. Pieces of 384 KB did best of 64 KB to 1 MB; reading in the thread pool costs a third.',
  },
  measure: (wanted, effort) =>
    onStage(async (stage) => {
      const { nginx, berth } = await startStaticPeers(stage)
      const results: FamilyResult[] = []
      for (const [row, { name, bytes, connections }] of Object.entries(FILES)) {
        if (!wanted.has(row)) continue
        const body = content(bytes)
        const file = stage.path('root/static', name)
        writeFileSync(file, body)
        utimesSync(file, CHANGED, CHANGED)
        const page = { path: `/static/${name}`, body, connections }
        const sides = [
          pageSide({ name: 'berth', pid: berth.pid, port: berth.port, ...page }),
          pageSide({ name: 'nginx', pid: nginx.pid, port: nginx.ports.plain, ...page }),
        ]
        await prime(sides, stage.directory)
        // So few of the big one are finished in a run that their number says little.
        const counted = bytes > MEGABYTE
        const runs = await compare(sides, effort, stage.directory, counted)
        const against = [{ name: 'nginx', bar: { atLeast: 1 }, note: 'Varnish serves no files' }]
        const work = staticFiles.rows[row] ?? row
        results.push(comparedFindings({ row, work, ours: 'berth', against, bytes: counted }, runs))
      }
      return joined(results)
    }),
}
