import { logJudge } from '#handlers/services/logs/log-judge.ts'
import type { LogPage, LogRecord, LogsPort } from '#handlers/ports/host/logs.ts'
import { gzipWindow } from './gzip-window.ts'
import type { ReadAt } from './lines-back.ts'
import { lineText, linesBack } from './lines-back.ts'
import type { LogFiles, OpenLog } from './log-files.ts'
import { goneAway, MAX_OFFSET, NOWHERE, parsePlace, placeText } from './log-place.ts'

/** What one call reads at most. */
const SCAN_BYTES = 8 * 2 ** 20
/** Bytes of lines that one call answers, but for the last of them: each is masked, parsed and written out. */
const PAGE_BYTES = 2 ** 20
/** What a file costs of it that was inflated in vain: so few are tried in one call. */
const INFLATED_IN_VAIN_BYTES = 2 * 2 ** 20
/** A line that is longer than this counts as whole before it ends. */
const TAIL_BYTES = 256 * 1024

/** Behind the last whole line before `until`: at the end of the file what comes after it is still being written. */
export const endOfLines = async (log: OpenLog, until = log.sizeBytes): Promise<number> => {
  const from = Math.max(0, until - TAIL_BYTES)
  const at = (await readerOf(log)(from, until - from)).lastIndexOf(0x0a)
  if (at !== -1) return from + at + 1
  return from === 0 ? 0 : until
}

export const readerOf =
  ({ handle }: OpenLog): ReadAt =>
  async (position, length) => {
    const bytes = Buffer.allocUnsafe(length)
    let filled = 0
    while (filled < length) {
      const { bytesRead } = await handle.read(bytes, filled, length - filled, position + filled)
      if (bytesRead === 0) break
      filled += bytesRead
    }
    return bytes.subarray(0, filled)
  }

/** A part of a file that can be searched: all of it, or what was inflated. */
interface Stretch {
  readAt: ReadAt
  end: number
  /** Before this nothing can be read now. */
  floor: number
}

/** `before` may be any byte: the part of a line in front of it is no line. */
const stretchOf = async (
  log: OpenLog,
  before: number | null,
  budget: number,
): Promise<Stretch | null> => {
  if (!log.gzip) {
    if (before !== null && before > log.sizeBytes) throw goneAway()
    const end = before === null ? log.sizeBytes : await endOfLines(log, before)
    return { readAt: readerOf(log), end, floor: Math.max(0, end - budget) }
  }
  const window = await gzipWindow(log.handle, before ?? Infinity, budget)
  if (window === null) return null
  const { start } = window
  const lineEnd = before === null ? -1 : window.bytes.lastIndexOf(0x0a)
  const keepsAll = before === null || (lineEnd === -1 && start > 0)
  const bytes = keepsAll ? window.bytes : window.bytes.subarray(0, lineEnd + 1)
  return {
    readAt: (position, length) =>
      Promise.resolve(bytes.subarray(position - start, position - start + length)),
    end: start + bytes.length,
    floor: start,
  }
}

/** The files from the one with `inode` on (null: the current one), newest first. */
const chainFrom = (logs: readonly OpenLog[], inode: string | null): readonly OpenLog[] => {
  if (inode === null) return logs
  const at = logs.findIndex((log) => log.inode === inode)
  if (at === -1) throw goneAway()
  return logs.slice(at)
}

/** `LogsPort.read`: from the newest file back to the oldest, until there are enough lines, a mebibyte of them, or enough was read. */
export const readLog = async (
  files: LogFiles,
  input: Parameters<LogsPort['read']>[0],
): Promise<LogPage> => {
  const current = await files.current(input.file)
  const logs = [...(current ? [current] : []), ...(await files.rotated(input.file))]
  try {
    return await searchBack(logs, current, input)
  } finally {
    for (const { handle } of logs) await handle.close()
  }
}

const searchBack = async (
  logs: readonly OpenLog[],
  current: OpenLog | null,
  input: Parameters<LogsPort['read']>[0],
): Promise<LogPage> => {
  const judge = logJudge(input.file, input.filter)
  const from = input.before === null ? null : parsePlace(input.before)
  const chain = chainFrom(logs, from?.inode ?? null)
  const records: LogRecord[] = []
  const whole = current ? await endOfLines(current) : 0
  const end = current ? placeText({ inode: current.inode, offset: whole }) : NOWHERE
  let budget = SCAN_BYTES
  let room = PAGE_BYTES
  const page = (next: string | null, truncated: boolean): LogPage => ({
    records,
    next,
    truncated,
    end,
  })
  for (const [index, log] of chain.entries()) {
    const newest = log === current ? whole : null
    const before = index === 0 && from !== null ? from.offset : newest
    if (budget <= 0) {
      const offset = log.gzip ? MAX_OFFSET : log.sizeBytes
      return page(placeText({ inode: log.inode, offset }), true)
    }
    const stretch = await stretchOf(log, before, budget)
    if (stretch === null) {
      budget -= INFLATED_IN_VAIN_BYTES
      continue
    }
    let reached = stretch.end
    for await (const part of linesBack(stretch.readAt, stretch)) {
      for (const line of part.lines) {
        const text = lineText(line)
        const verdict = judge(text)
        if (verdict === 'early') return page(null, false)
        if (verdict === 'unwanted') continue
        records.push({
          id: placeText({ inode: log.inode, offset: line.start }),
          text,
          cut: line.cut,
        })
        room -= line.bytes.length
        if (records.length < input.lines && room > 0) continue
        const older = line.start > 0 || index < chain.length - 1
        return page(older ? placeText({ inode: log.inode, offset: line.start }) : null, false)
      }
      reached = part.reached
    }
    budget -= stretch.end - stretch.floor
    if (stretch.floor > 0) return page(placeText({ inode: log.inode, offset: reached }), true)
  }
  return page(null, false)
}
