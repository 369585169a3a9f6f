import { escapeLogText } from './access-log.ts'
import type { LogBuffer } from './log-buffer.ts'

/** What scripts write to their standard error; a line per message, a tenant's text escaped. */
export interface PhpErrorLog {
  /** `message` may have any characters and length within reason. */
  write(domain: string, message: string): void
}

/** Messages of one domain and second; what is more is only counted. */
const MAX_PER_SECOND = 20

interface Second {
  startMs: number
  written: number
  suppressed: number
}

/** Lines `2026-11-21T10:00:00.000Z example.com: message`, at most 20 per domain and second. */
export const createPhpErrorLog = (buffer: LogBuffer, nowMs = () => Date.now()): PhpErrorLog => {
  const seconds = new Map<string, Second>()

  const line = (domain: string, text: string): void => {
    // Each character as its bytes in UTF-8, never as its number, so that it can be read back.
    const shown = escapeLogText(Buffer.from(text).toString('latin1'))
    buffer.append(`${new Date(nowMs()).toISOString()} ${domain}: ${shown}\n`)
  }

  const sweep = (): void => {
    for (const [domain, { startMs, suppressed }] of seconds) {
      if (nowMs() - startMs < 1000) continue
      seconds.delete(domain)
      if (suppressed > 0) line(domain, `${suppressed} more suppressed`)
    }
  }

  return {
    write(domain, message) {
      let second = seconds.get(domain)
      if (!second || nowMs() - second.startMs >= 1000) {
        sweep()
        second = { startMs: nowMs(), written: 0, suppressed: 0 }
        seconds.set(domain, second)
        // What was suppressed last is told even when nothing more is written.
        setTimeout(sweep, 1100).unref()
      }
      if (second.written >= MAX_PER_SECOND) second.suppressed++
      else {
        second.written++
        line(domain, message)
      }
    },
  }
}
