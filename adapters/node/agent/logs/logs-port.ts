import type { LogsPort } from '#handlers/ports/host/logs.ts'
import { LOG_FILES } from '#handlers/ports/host/logs.ts'
import { followLog, placeInLog } from './follow-log.ts'
import type { LogFiles } from './log-files.ts'
import { readLog } from './read-log.ts'
import { createReadSlots } from './read-slots.ts'

/** Reads the logs of this machine. */
export const createLogsPort = (files: LogFiles): LogsPort => {
  const inSlot = createReadSlots()
  return {
    async list() {
      const found: Awaited<ReturnType<LogsPort['list']>> = []
      for (const file of LOG_FILES) {
        const log = await files.current(file)
        await log?.handle.close()
        if (log) found.push({ file, sizeBytes: log.sizeBytes })
      }
      return found
    },
    read: (input) => inSlot(() => readLog(files, input)),
    place: (input) => inSlot(() => placeInLog(files, input)),
    follow: (input) => inSlot(() => followLog(files, input)),
  }
}
