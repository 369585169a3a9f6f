import { parentPort, workerData } from 'node:worker_threads'
import { createPurgeMarks } from '#edge-cache/index.ts'
import type { Log } from '#handlers/ports/log.ts'
import { ProcessChannel } from '../../workers/process-channel.ts'
import type { DiskStart, DiskState, FromDisk, ToDisk } from './disk-messages.ts'
import { openDiskWriter } from './disk-writer.ts'
import { portChannel } from '../port-channel.ts'

/**
 * The thread that writes the disk layer. Deleting rows, checkpoints and syncs take
 * tens of milliseconds, for which nobody who waits for the primary has to wait.
 */
const run = (port: NonNullable<typeof parentPort>, start: DiskStart): void => {
  const { file, limitBytes, memory } = start
  // Nobody reads the file before it is opened here.
  let isOpen = false
  const logger =
    (level: 'info' | 'warn' | 'error'): Log['info'] =>
    (message, fields) =>
      channel.tell({ type: 'log', level, message, fields })
  const log: Log = { info: logger('info'), warn: logger('warn'), error: logger('error') }
  const marks = createPurgeMarks(start.marks === null ? {} : { snapshot: start.marks })
  const channel: ProcessChannel<FromDisk, ToDisk> = new ProcessChannel(
    portChannel(port),
    (message) => {
      switch (message.type) {
        case 'put':
          return disk.put(message.entry)
        case 'delete':
          return disk.delete(message.key)
        case 'save': {
          const { sequence, scopes, atMs } = message.purge
          marks.apply(sequence, scopes, atMs)
          return memory ? undefined : disk.saveMarks(message.purge)
        }
        case 'rebuild':
          return disk.rebuild()
        case 'state':
          return { stats: disk.stats(), fault: disk.fault } satisfies DiskState
        case 'sites':
          return disk.sites()
        case 'pages':
          return disk.pagesToPurge(message.siteTag, message.scopes)
        case 'damaged':
          return disk.damaged(message.error)
        case 'close':
          return disk.close()
      }
    },
  )
  const disk = openDiskWriter(file, {
    ...{ limitBytes, memory, marks, log },
    onFile: () => {
      if (isOpen) channel.tell({ type: 'file' })
    },
  })
  if (start.marks === null) marks.restore(disk.loadMarks())
  else disk.rebuild()
  isOpen = true
  channel.tell({ type: 'open', marks: marks.snapshot() })
}

if (parentPort !== null) run(parentPort, workerData as DiskStart)
