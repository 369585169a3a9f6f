import { nextRound } from '#edge-cache/index.ts'
import { logJudge } from '#handlers/services/logs/log-judge.ts'
import type { LogContinuation, LogRecord, LogsPort } from '#handlers/ports/host/logs.ts'
import { lineText } from './lines-back.ts'
import { linesOn } from './lines-on.ts'
import type { LogFiles, OpenLog } from './log-files.ts'
import { NOWHERE, parsePlace, placeText } from './log-place.ts'
import type { FilePlace } from './log-place.ts'
import { endOfLines, readerOf } from './read-log.ts'

/** What one call reads at most. */
const SCAN_BYTES = 2 ** 20
/** Lines that are judged before others have their turn: of tiny ones half a million may be read. */
const JUDGED_AT_ONCE = 8192
/** So long after its last line a renamed file may still get lines: its writers notice one after the other. */
const SETTLED_MS = 3000

/** A line that is longer than this is not waited for where a place is looked for. */
const MAX_SKIPPED_BYTES = 64 * 1024

/** The begin of the first whole line from `offset` on; null where the next `maxBytes` have none. */
const lineBegin = async (
  log: OpenLog,
  offset: number,
  maxBytes: number,
): Promise<number | null> => {
  if (offset <= 0) return 0
  const readAt = readerOf(log)
  if ((await readAt(offset - 1, 1))[0] === 0x0a) return offset
  const at = (await readAt(offset, maxBytes)).indexOf(0x0a)
  return at === -1 ? null : offset + at + 1
}

/** So many bytes before `end`, at the begin of a line. */
const placeBefore = async (log: OpenLog, end: number, bytesBack: number): Promise<number> =>
  (await lineBegin(log, end - bytesBack, MAX_SKIPPED_BYTES)) ?? end - bytesBack

/** `LogsPort.place`: looked for in the current file and the one before it, as long as that is not compressed. */
export const placeInLog = async (
  files: LogFiles,
  { file, bytesBack }: Parameters<LogsPort['place']>[0],
): Promise<string> => {
  const current = await files.current(file)
  const rotated = bytesBack > (current?.sizeBytes ?? 0) ? await files.rotated(file) : []
  try {
    const before = rotated.find(({ gzip }) => !gzip)
    const rest = bytesBack - (current?.sizeBytes ?? 0)
    if (rest > 0 && before !== undefined) {
      const offset = await placeBefore(before, before.sizeBytes, rest)
      return placeText({ inode: before.inode, offset })
    }
    if (current === null) return NOWHERE
    const end = await endOfLines(current)
    const offset = bytesBack === 0 ? end : await placeBefore(current, end, bytesBack)
    return placeText({ inode: current.inode, offset })
  } finally {
    for (const log of [current, ...rotated]) await log?.handle.close()
  }
}

/** `LogsPort.follow`. */
export const followLog = async (
  files: LogFiles,
  input: Parameters<LogsPort['follow']>[0],
): Promise<LogContinuation> => {
  const place = parsePlace(input.after)
  const current = await files.current(input.file)
  const same = current?.inode === place.inode
  const rotated = same ? [] : await files.rotated(input.file)
  try {
    return await continueFrom(place, current, rotated, input)
  } finally {
    for (const log of [current, ...rotated]) await log?.handle.close()
  }
}

const continueFrom = async (
  place: FilePlace,
  current: OpenLog | null,
  rotated: readonly OpenLog[],
  input: Parameters<LogsPort['follow']>[0],
): Promise<LogContinuation> => {
  const old = rotated.find(({ inode }) => inode === place.inode)
  const log = old ?? current
  if (log === null) return { records: [], after: input.after, more: false, skipped: false }
  const known = log.inode === place.inode
  // Smaller than before: it was emptied in place, and lines may have gone with it.
  const emptied = known && place.offset > log.sizeBytes
  let start = known && !emptied ? place.offset : 0
  let skipped = emptied || (!known && input.after !== NOWHERE)
  if (input.maxLagBytes !== null && log.sizeBytes - start > input.maxLagBytes) {
    start = log.sizeBytes - Math.min(input.maxLagBytes, SCAN_BYTES)
    skipped = true
  }
  const { records, next } = await wantedOn(log, start, input)
  const settled = old !== undefined && Date.now() - old.modifiedMs > SETTLED_MS
  if (settled && current !== null && next === start && records.length === 0) {
    return {
      records,
      after: placeText({ inode: (after(rotated, old) ?? current).inode, offset: 0 }),
      more: true,
      skipped,
    }
  }
  return {
    records,
    after: placeText({ inode: log.inode, offset: next }),
    more: next > start && next < log.sizeBytes,
    skipped,
  }
}

/** The file that was written next after `old`; null: the current one. */
const after = (rotated: readonly OpenLog[], old: OpenLog): OpenLog | null => {
  const newer = rotated[rotated.indexOf(old) - 1]
  return newer === undefined || newer.gzip ? null : newer
}

const wantedOn = async (
  log: OpenLog,
  from: number,
  input: Parameters<LogsPort['follow']>[0],
): Promise<{ records: LogRecord[]; next: number }> => {
  if (log.sizeBytes <= from) return { records: [], next: from }
  // The place is the client's: what follows the middle of a line could pass for a line of another host.
  const start = await lineBegin(log, from, SCAN_BYTES)
  if (start === null) return { records: [], next: Math.min(from + SCAN_BYTES, log.sizeBytes) }
  const judge = logJudge(input.file, input.filter)
  const { lines, next } = await linesOn(readerOf(log), start, SCAN_BYTES)
  const records: LogRecord[] = []
  for (const [at, line] of lines.entries()) {
    if (at % JUDGED_AT_ONCE === JUDGED_AT_ONCE - 1) await nextRound()
    if (records.length >= input.lines) return { records, next: line.start }
    const text = lineText(line)
    if (judge(text) !== 'wanted') continue
    records.push({
      id: placeText({ inode: log.inode, offset: line.start }),
      text,
      cut: line.cut,
    })
  }
  return { records, next }
}
